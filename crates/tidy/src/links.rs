//! Links between documents.

/// A link to another file of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub line: usize,
    /// As written, without what comes after `#`.
    pub target: String,
}

/// The relative links of a Markdown document; those in code do not count.
pub fn relative_links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let mut in_code = false;
    for (line, content) in (1..).zip(text.lines()) {
        if content.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for (start, _) in content.match_indices("](") {
            let rest = &content[start + 2..];
            let Some(end) = rest.find(')') else { continue };
            let target = rest[..end].split('#').next().unwrap_or_default();
            let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
            if !target.is_empty() && !is_elsewhere {
                links.push(Link { line, target: target.to_owned() });
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_are_found_and_others_are_not() {
        let text = "[a](b.md#c) and [d](../e.md)\n[web](https://x.y/z) [here](#top)\n\
                    ```\n[code](no.md)\n```\n";
        let link = |target: &str| Link { line: 1, target: target.into() };
        assert_eq!(relative_links(text), [link("b.md"), link("../e.md")]);
    }
}
