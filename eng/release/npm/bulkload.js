#!/usr/bin/env node
// Starts the program for this platform, which an optional dependency brings, and ends as it ends.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

// glibc says its version in the report; musl does not.
function platform() {
  const name = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux') return name;
  return process.report.getReport().header.glibcVersionRuntime ? name : `${name}-musl`;
}

function program() {
  const name = `@bulkload/${platform()}`;
  const file = process.platform === 'win32' ? 'bulkload.exe' : 'bulkload';
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    const { optionalDependencies, version } = require('./package.json');
    console.error(`error: the program for this platform is missing: the package ${name}`);
    if (Object.hasOwn(optionalDependencies, name)) {
      console.error('  npm leaves it out with --omit=optional, and where the lock file was made on another platform');
      console.error(`  to install it: npm install ${name}@${version}`);
    } else {
      console.error(`  there are packages for ${Object.keys(optionalDependencies).join(', ')}`);
    }
    process.exit(1);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends Ctrl+C to both: the program says how it stops, and this one waits for it.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`error: the program cannot be started: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
