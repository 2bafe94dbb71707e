//! Names that are written beside a step and not in it: `const fetchOrder = httpStep({ ... })`.

use stepwell_script::Position;
use stepwell_script::js::Bundle;

/// What gives steps that have no name of their own.
const MAKERS: [&str; 7] =
    ["workflow", "httpStep", "delayStep", "branch", "loop", "parallel", "forEach"];

/// The variable that the call at this place is assigned to.
pub(super) fn declared_name(bundle: &Bundle, at: &Position) -> Option<String> {
    let text = bundle.files().get(&at.file)?;
    let lines: Vec<&str> = text.lines().collect();
    let line = usize::try_from(at.line).ok()?.checked_sub(1)?;
    let own = lines.get(line)?;
    declared_in(own).or_else(|| {
        // `const payment =` on the line before.
        let before = lines.get(line.checked_sub(1)?)?.trim_end();
        declared_in(&format!("{before} {}", own.trim_start())).filter(|_| before.ends_with('='))
    })
}

fn declared_in(line: &str) -> Option<String> {
    let (left, right) = line.split_once('=')?;
    let right = right.trim_start();
    let maker = MAKERS.iter().find_map(|maker| right.strip_prefix(maker))?;
    if !maker.trim_start().starts_with(['(', '<']) {
        return None;
    }
    let left = left.trim().strip_prefix("export").unwrap_or(left).trim();
    let declared = ["const", "let", "var"].iter().find_map(|word| left.strip_prefix(word))?;
    let name = declared.split(':').next()?.trim();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_is_made_is_called_as_its_variable() {
        let check = |line: &str| declared_in(line).unwrap_or_default();
        assert_eq!(check("const paymentFlow = workflow('./payment.ts')"), "paymentFlow");
        assert_eq!(check("  export const get: Step = httpStep({ url: 'http://x?a=b' })"), "get");
        assert_eq!(check("export const steps = [findTree, delayStep({ seconds: 1 })]"), "");
        assert_eq!(check("  httpStep({ url: 'http://x?const a = branch(' }),"), "");
        assert_eq!(check("const a = workflows()"), "");
    }
}
