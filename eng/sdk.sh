# shellcheck shell=bash
# The .NET SDK, for the scripts in the root folder. Sourced; the working folder is the repository's.

export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1

# Says plainly what to install; global.json decides which version will do.
need_sdk() {
  if ! command -v dotnet >/dev/null; then
    echo "The .NET SDK 10 is missing. Install the package dotnet-sdk-10.0, or see https://dotnet.microsoft.com/download" >&2
    exit 1
  fi
  if ! dotnet --version >/dev/null 2>&1; then
    echo "The .NET SDK is here, but not version 10.0.100 or newer (global.json). See https://dotnet.microsoft.com/download" >&2
    dotnet --list-sdks >&2
    exit 1
  fi
  # A program that was built looks for the runtime in the usual places only.
  if [[ -z ${DOTNET_ROOT:-} ]]; then
    DOTNET_ROOT=$(dirname -- "$(readlink -f -- "$(command -v dotnet)")")
    export DOTNET_ROOT
  fi
}
