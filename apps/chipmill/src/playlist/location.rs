//! The location of a playlist's entry: a path or a URL becomes a path of this machine.

use percent_encoding::percent_decode_str;
use std::path::{Path, PathBuf};

/// Why a location is no local file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocationError {
    /// It is on the network.
    #[error("{0:?} is on the network; download it first, then name the file")]
    Remote(Box<str>),
    /// It is on another machine.
    #[error("{0:?} names a file of another machine; copy it here first")]
    Host(Box<str>),
    /// It is a URL of a kind that names no file.
    #[error("{0:?} is not a file: only paths and file:// URLs are read; correct it")]
    Scheme(Box<str>),
    /// It has a NUL, which no file name has.
    #[error("{0:?} contains a NUL character, which no file name has; correct it")]
    Nul(Box<str>),
    /// It decodes to bytes that are no text, and this system's file names are text.
    #[error("{0:?} is not UTF-8 after its percent escapes are decoded; correct it")]
    NotUtf8(Box<str>),
    /// No system opens a path of this length.
    #[error("{0:?} is a path of more than {MAX_PATH} bytes, which no system opens; correct it")]
    TooLong(Box<str>),
}

/// The longest path that a system opens, in bytes.
const MAX_PATH: usize = if cfg!(windows) { 32 << 10 } else { 4 << 10 };

/// What relative locations are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Directory(PathBuf),
    /// A URL that is on the network, or of another kind that names no file here.
    Remote(Box<str>),
}

impl Base {
    /// The base that an attribute `xml:base` makes of this one. As with all URLs, what follows the
    /// last slash does not count.
    pub(super) fn join(&self, uri: &str) -> Result<Self, LocationError> {
        let directory = &uri[..uri.rfind(['/', '\\']).map_or(0, |slash| slash + 1)];
        match from_uri(directory, self) {
            Ok(path) => Ok(Self::Directory(path)),
            // Locations that do not depend on the base are files all the same.
            Err(LocationError::Remote(_) | LocationError::Host(_) | LocationError::Scheme(_)) => {
                Ok(Self::Remote(shorten(uri)))
            }
            Err(error) => Err(error),
        }
    }
}

/// The file that a line of an M3U playlist in `directory` names: a path or a `file:` URL.
///
/// A relative path is relative to `directory`. Backslashes separate directories on every system,
/// because most such playlists come from Windows. Some programs write paths with the percent
/// escapes of a URL: these are decoded if that is a file, and the path as it stands is none. A line
/// that is no UTF-8 was decoded by a guess: a file that has its `bytes` for a name is meant.
pub(super) fn from_line(
    line: &str,
    bytes: &[u8],
    directory: &Path,
) -> Result<PathBuf, LocationError> {
    if let Some(path) = url(line)? {
        return joined(directory, &decode(path, line)?, line);
    }
    no_nul(line.as_bytes(), line)?;
    if let Some(named) = of_bytes(bytes, directory) {
        return Ok(named);
    }
    let path = joined(directory, Path::new(&slashes(line)), line)?;
    if line.contains('%') && !path.exists() {
        let decoded = decode(line, line).and_then(|path| joined(directory, &path, line));
        if let Some(decoded) = decoded.ok().filter(|path| path.exists()) {
            return Ok(decoded);
        }
    }
    Ok(path)
}

/// The file whose name has the bytes of a line, if they are no UTF-8 and there is one.
fn of_bytes(bytes: &[u8], directory: &Path) -> Option<PathBuf> {
    if std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let slash = |&byte: &u8| if byte == b'\\' { b'/' } else { byte };
    let with_slashes = bytes.iter().map(slash).collect();
    // A backslash can be the second half of a letter, as in Shift JIS.
    [bytes.to_vec(), with_slashes]
        .into_iter()
        .filter_map(|bytes| joined(directory, &into_path(bytes)?, "").ok())
        .find(|path| path.exists())
}

/// The file that the URI of an XSPF playlist names. Percent escapes are decoded in relative ones,
/// too.
///
/// A `?` or `#` belongs to the name: files have neither queries nor fragments, and programs forget
/// to escape both.
pub(super) fn from_uri(uri: &str, base: &Base) -> Result<PathBuf, LocationError> {
    let path = match url(uri)? {
        Some(path) => decode(path, uri)?,
        None => decode(uri, uri)?,
    };
    match base {
        Base::Directory(directory) => joined(directory, &path, uri),
        Base::Remote(_) if path.is_absolute() && is_file_url(uri) => Ok(path),
        Base::Remote(url) => Err(LocationError::Remote(
            format!("{url} {}", shorten(uri)).into(),
        )),
    }
}

/// A path in a directory. `location` is for messages. A list of many entries must not have a
/// directory of a megabyte in each.
fn joined(directory: &Path, path: &Path, location: &str) -> Result<PathBuf, LocationError> {
    let bytes = directory.as_os_str().len() + path.as_os_str().len();
    match bytes <= MAX_PATH {
        true => Ok(directory.join(path)),
        false => Err(LocationError::TooLong(shorten(location))),
    }
}

fn is_file_url(location: &str) -> bool {
    let scheme = location.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("file"))
}

/// The path of a `file:` URL, still escaped; `None` if `location` is no URL.
fn url(location: &str) -> Result<Option<&str>, LocationError> {
    let Some((scheme, rest)) = location.split_once(':') else {
        return Ok(None);
    };
    // One letter is the drive of a Windows path.
    let is_scheme = scheme.len() >= 2
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if !is_scheme {
        return Ok(None);
    }
    if scheme.eq_ignore_ascii_case("file") {
        return file_url(rest)
            .ok_or_else(|| LocationError::Host(shorten(location)))
            .map(Some);
    }
    if !rest.starts_with("//") {
        // A colon in a file's name.
        return Ok(None);
    }
    const NETWORK: [&str; 8] = ["http", "https", "ftp", "ftps", "sftp", "smb", "mms", "rtsp"];
    if NETWORK
        .iter()
        .any(|network| scheme.eq_ignore_ascii_case(network))
    {
        Err(LocationError::Remote(shorten(location)))
    } else {
        Err(LocationError::Scheme(shorten(location)))
    }
}

/// The path of what follows `file:`; `None` if it is on another machine.
fn file_url(rest: &str) -> Option<&str> {
    let Some(rest) = rest.strip_prefix("//") else {
        return Some(rest);
    };
    let (host, path) = rest.split_at(rest.find(['/', '\\']).unwrap_or(rest.len()));
    if host.is_empty() || host.eq_ignore_ascii_case("localhost") {
        Some(path)
    } else if host.len() == 2 && host.ends_with(':') {
        // Programs write file://C:/name, with one slash too few.
        Some(rest)
    } else {
        None
    }
}

/// Decodes the percent escapes of `path`. `location` is for messages.
fn decode(path: &str, location: &str) -> Result<PathBuf, LocationError> {
    let path = slashes(path);
    let bytes: Vec<u8> = percent_decode_str(&path).collect();
    no_nul(&bytes, location)?;
    into_path(bytes).ok_or_else(|| LocationError::NotUtf8(shorten(location)))
}

#[cfg(unix)]
fn into_path(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn into_path(bytes: Vec<u8>) -> Option<PathBuf> {
    let mut path = String::from_utf8(bytes).ok()?;
    // In URLs there is a slash before the drive.
    if matches!(path.as_bytes(), [b'/', drive, b':', ..] if drive.is_ascii_alphabetic()) {
        path.remove(0);
    }
    Some(path.into())
}

fn slashes(path: &str) -> String {
    path.replace('\\', "/")
}

fn no_nul(bytes: &[u8], location: &str) -> Result<(), LocationError> {
    if bytes.contains(&0) {
        Err(LocationError::Nul(shorten(location)))
    } else {
        Ok(())
    }
}

/// The first characters of a location, enough to find it again. A list of bad locations must not
/// keep them all.
fn shorten(location: &str) -> Box<str> {
    const CHARACTERS: usize = 100;
    match location.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &location[..end]).into(),
        None => location.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Result<PathBuf, LocationError> {
        from_line(text, text.as_bytes(), Path::new("/lists"))
    }

    fn uri(text: &str) -> Result<PathBuf, LocationError> {
        from_uri(text, &Base::Directory("/lists".into()))
    }

    #[test]
    fn relative_paths_are_relative_to_the_playlist() {
        assert_eq!(line("a.vgm"), Ok("/lists/a.vgm".into()));
        assert_eq!(line(r"sub\a.vgm"), Ok("/lists/sub/a.vgm".into()));
        assert_eq!(line("/b/a.vgm"), Ok("/b/a.vgm".into()));
        assert_eq!(line("100%25.vgm"), Ok("/lists/100%25.vgm".into()));
        assert_eq!(line("Act:Two.vgm"), Ok("/lists/Act:Two.vgm".into()));
        let here = from_line("a.vgm", b"a.vgm", Path::new(""));
        assert_eq!(here, Ok("a.vgm".into()));
    }

    #[cfg(unix)]
    #[test]
    fn drives_are_directories_on_unix() {
        assert_eq!(line(r"C:\a.vgm"), Ok("/lists/C:/a.vgm".into()));
        assert_eq!(line("file:///C:/a.vgm"), Ok("/C:/a.vgm".into()));
        assert_eq!(line("file://C:/a.vgm"), Ok("/lists/C:/a.vgm".into()));
    }

    #[test]
    fn file_urls_are_decoded() {
        assert_eq!(line("file:///a/b%20c.vgm"), Ok("/a/b c.vgm".into()));
        assert_eq!(line("FILE://localhost/a.vgm"), Ok("/a.vgm".into()));
        assert_eq!(line("file:/a%2Fb"), Ok("/a/b".into()));
        assert_eq!(line("file:a.vgm"), Ok("/lists/a.vgm".into()));
        assert_eq!(
            line("file://server/a.vgm"),
            Err(LocationError::Host("file://server/a.vgm".into()))
        );
        assert!(matches!(line("file:///a%00"), Err(LocationError::Nul(_))));
        assert!(matches!(line("a\0b"), Err(LocationError::Nul(_))));
    }

    #[test]
    fn what_is_not_on_this_machine_is_refused() {
        assert!(matches!(
            line("HTTP://host/a.vgm"),
            Err(LocationError::Remote(_))
        ));
        assert!(matches!(
            line("https://host/a.vgm"),
            Err(LocationError::Remote(_))
        ));
        assert!(matches!(line("cdda://1"), Err(LocationError::Scheme(_))));
        let text = line("http://host/a.vgm").unwrap_err().to_string();
        assert!(text.contains("download it first"), "{text}");
    }

    #[test]
    fn uris_keep_question_marks_and_hashes() {
        assert_eq!(uri("Zone%20%231.vgm"), Ok("/lists/Zone #1.vgm".into()));
        assert_eq!(uri("What? #2.vgm"), Ok("/lists/What? #2.vgm".into()));
        assert_eq!(uri("100%.vgm"), Ok("/lists/100%.vgm".into()));
    }

    #[cfg(unix)]
    #[test]
    fn escapes_need_not_be_text() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(uri("%ff").unwrap().as_os_str().as_bytes(), b"/lists/\xff");
    }

    #[test]
    fn bases_nest() {
        let base = Base::Directory("/lists".into());
        let join = |uri| base.join(uri).unwrap();
        assert_eq!(join("sub/list.xspf"), Base::Directory("/lists/sub/".into()));
        assert_eq!(join("file:///music/"), Base::Directory("/music/".into()));
        assert_eq!(
            from_uri("a.vgm", &join("sub/x")),
            Ok("/lists/sub/a.vgm".into())
        );
        for base in ["http://host/music/", "file://host/music/", "cdda://1/"] {
            let remote = join(base);
            assert!(matches!(
                from_uri("a.vgm", &remote),
                Err(LocationError::Remote(_))
            ));
            assert_eq!(from_uri("file:///a.vgm", &remote), Ok("/a.vgm".into()));
            assert_eq!(from_uri("FILE:///a.vgm", &remote), Ok("/a.vgm".into()));
            assert!(matches!(remote.join("sub/"), Ok(Base::Remote(_))));
        }
    }

    #[test]
    fn paths_that_no_system_opens_are_refused() {
        let long = "a/".repeat(MAX_PATH / 2 - 4);
        assert!(line(&long).is_ok());
        let longer = format!("{long}aaaaaaaa");
        for refused in [line(&longer), uri(&longer)] {
            assert!(matches!(refused, Err(LocationError::TooLong(text)) if text.len() < 300));
        }
        let base = Base::Directory("/lists".into());
        assert!(base.join(&format!("{longer}/")).is_err());
    }

    #[test]
    fn long_locations_are_shortened_in_messages() {
        let long = format!("http://{}", "ü".repeat(1000));
        let text = line(&long).unwrap_err().to_string();
        assert!(text.len() < 300, "{text}");
    }
}
