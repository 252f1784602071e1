//! Relay between the separate network of a sandbox and our proxy.
//!
//! Programs connect to a proxy over TCP, but a sandbox with a separate network cannot reach the host over TCP. A Unix
//! socket is independent of networks. A relay inside listens on loopback and forwards each connection to such a socket.
//! It runs in an outer sandbox that isolates only the network; the command runs in an inner one, which cannot see the
//! relay.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Port of the proxy inside. The network is private to the sandbox, so the port is free.
pub(super) const PORT: &str = "3128";

/// Implementation in Perl, which is installed nearly everywhere.
const PERL: &str = r#"
use strict; use IO::Socket::INET; use IO::Socket::UNIX; use IO::Select;
my ($path, $port) = @ARGV;
$SIG{CHLD} = "IGNORE"; $SIG{PIPE} = "IGNORE";
my $door = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 128, ReuseAddr => 1) or exit 1;
while (1) {
  my $near = $door->accept or next;
  my $child = fork;
  if (!defined $child || $child) { close $near; next }
  close $door;
  my $far = IO::Socket::UNIX->new(Peer => $path) or exit 1;
  my %other = (fileno($near) => $far, fileno($far) => $near);
  my $open = IO::Select->new($near, $far);
  while ($open->count) {
    for my $from ($open->can_read) {
      my $to = $other{fileno $from};
      my $count = sysread $from, my $piece, 65536;
      if (!$count) { $open->remove($from); shutdown $to, 1; next }
      for (my $at = 0; $at < $count; ) {
        my $sent = syswrite $to, $piece, $count - $at, $at;
        exit 1 unless defined $sent;
        $at += $sent;
      }
    }
  }
  exit 0;
}
"#;

/// Starts the relay, waits until it listens, and replaces itself with the inner sandbox.
const SCRIPT: &str = r#"
kind=$1 program=$2 text=$3 path=$4 port=$5; shift 5
# no user-installed programs outside of the sandbox
theirs=${PATH-} PATH=/usr/bin:/bin
relay() {
  if [[ $kind == perl ]]; then
    env -i "$program" -e "$text" "$path" "$port" </dev/null &
  else
    env -i "$program" "TCP-LISTEN:$port,fork,reuseaddr,bind=127.0.0.1" "UNIX-CONNECT:$path" </dev/null &
  fi
  # the pipe ends when all processes inside have ended
  cat
  kill -KILL $!
}
exec 116> >(relay >/dev/null 2>&1)
for ((look = 0; look < 500; look++)); do
  if (exec 9<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then PATH=$theirs; exec "$@"; fi
  sleep 0.01
done
echo 'The way to the sandbox proxy did not open, so the command was not started.' >&2
exit 126
"#;

/// Program that implements the relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Relay {
    Perl(PathBuf),
    Socat(PathBuf),
}

impl Relay {
    /// Finds an installed program.
    pub(super) fn find(socat: Option<&Path>) -> Option<Self> {
        if let Some(socat) = socat {
            return socat.is_file().then(|| Self::Socat(socat.to_owned()));
        }
        let perl = super::found("perl").map(Self::Perl);
        perl.or_else(|| super::found("socat").map(Self::Socat))
    }

    /// Returns the path of the program.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Perl(path) | Self::Socat(path) => path,
        }
    }

    /// Returns the command line that precedes the inner sandbox.
    pub(super) fn words(&self, bash: &Path, socket: &Path) -> Vec<OsString> {
        let (kind, text) = match self {
            Self::Perl(_) => ("perl", PERL),
            Self::Socat(_) => ("socat", ""),
        };
        let mut words = vec![bash.into()];
        words.extend(["--noprofile", "--norc", "-c", SCRIPT, "relay", kind].map(OsString::from));
        words.push(self.path().into());
        words.push(text.into());
        words.push(socket.into());
        words.push(PORT.into());
        words
    }
}
