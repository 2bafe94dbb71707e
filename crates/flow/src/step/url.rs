//! URLs of services, with `{placeholders}` for inputs.

use url::Url;

use crate::limits::URL_BYTES_MAX;

/// The names in braces, in order. Fails with what is wrong with the braces.
pub(crate) fn placeholders(url: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    let mut rest = url;
    while let Some(start) = rest.find(['{', '}']) {
        let (_, from_brace) = rest.split_at(start);
        if from_brace.starts_with('}') {
            return Err("there is a `}` without its `{`".to_owned());
        }
        let inside = &from_brace[1..];
        let end = inside.find(['{', '}']).filter(|end| inside[*end..].starts_with('}'));
        let Some(end) = end else { return Err("there is a `{` without its `}`".to_owned()) };
        if end == 0 {
            return Err("there is no name between `{` and `}`".to_owned());
        }
        names.push(&inside[..end]);
        rest = &inside[end + 1..];
    }
    Ok(names)
}

/// What is wrong with a URL, if anything. Its placeholders, whose braces match, are not looked up here.
pub(super) fn url_problem(url: &str) -> Option<String> {
    if url.len() > URL_BYTES_MAX {
        return Some(format!("this has {} bytes, at most {URL_BYTES_MAX} are allowed", url.len()));
    }
    // The parser would quietly drop or bend these.
    if let Some(odd) = url.chars().find(|c| c.is_whitespace() || c.is_control() || *c == '\\') {
        return Some(format!("a URL cannot have {odd:?}: percent-encode it"));
    }
    let scheme = ["http://", "https://"].into_iter().find(|scheme| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    let Some(scheme) = scheme else {
        return Some("a URL must begin with `http://` or `https://`".to_owned());
    };
    let after = &url[scheme.len()..];
    let host = &after[..after.find(['/', '?', '#']).unwrap_or(after.len())];
    // Else inputs would decide which machine is called, whatever hosts are allowed.
    if host.contains(['{', '}']) {
        return Some(
            "placeholders may stand in the path and the query, not in the host".to_owned(),
        );
    }
    let parsed = match Url::parse(&url.replace(['{', '}'], "")) {
        Ok(parsed) => parsed,
        Err(error) => return Some(format!("no URL: {error}")),
    };
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Some(
            "a URL may not hold a user or password: definitions are not secret".to_owned(),
        );
    }
    let fragment = parsed.fragment()?;
    Some(format!("`#{fragment}` never reaches the service: remove it"))
}
