# shellcheck shell=bash
# What native compilation needs. Sourced, behind need.sh.

case $(uname -m) in
  aarch64 | arm64) own_platform=linux-arm64 ;;
  *) own_platform=linux-x64 ;;
esac

# find_compiler PLATFORM: sets the array compiler to MSBuild's options; a linker that is missing is installed by apt-get.
find_compiler() {
  compiler=()
  case $own_platform:$1 in
    linux-x64:linux-x64 | linux-arm64:linux-arm64)
      need cc gcc libc6-dev
      # The SDK takes clang where it is installed: the program would depend on what else is there.
      compiler+=(-p:CppCompilerAndLinker=cc)
      ;;
    linux-x64:linux-arm64)
      need clang clang
      need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
      compiler+=(-p:CppCompilerAndLinker=clang -p:ObjCopyName=aarch64-linux-gnu-objcopy)
      ;;
    *:linux-arm64 | *:linux-x64)
      echo "$(basename -- "$0"): $1 cannot be compiled on $own_platform" >&2
      exit 2
      ;;
  esac
}
