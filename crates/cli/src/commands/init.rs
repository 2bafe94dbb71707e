//! `stepwell init [DIR]`

use std::fs;

use serde_json::json;

use crate::args::Init;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::out::Out;

/// What a project begins with.
const FILES: [(&str, &str); 7] = [
    ("workflows/order.ts", include_str!("init/order.ts")),
    ("workflows/payment.ts", include_str!("init/payment.ts")),
    ("steps/stock.ts", include_str!("init/stock.ts")),
    ("types/stepwell.d.ts", include_str!("../../../../sdk/index.d.ts")),
    ("types/globals.d.ts", include_str!("../../../../sdk/globals.d.ts")),
    ("types/zod.d.ts", include_str!("init/zod.d.ts")),
    ("tsconfig.json", include_str!("init/tsconfig.json")),
];

pub fn init(init: &Init, out: &mut Out) -> Result<Exit> {
    let dir = &init.dir;
    let there: Vec<&str> =
        FILES.iter().map(|(path, _)| *path).filter(|path| dir.join(path).exists()).collect();
    if !there.is_empty() && !init.force {
        let what = format!("{} has these already: {}", dir.display(), there.join(", "));
        return Err(Error::local(what).hint("name another folder, or replace them with --force"));
    }
    let failed = |path: &str, error: std::io::Error| {
        Error::local(format!("{} cannot be written: {error}", dir.join(path).display()))
    };
    for (path, text) in FILES {
        let file = dir.join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(|error| failed(path, error))?;
        }
        fs::write(&file, text).map_err(|error| failed(path, error))?;
    }
    let paths = FILES.map(|(path, _)| path);
    match out.json {
        true => out.print_json_of(&json!({ "dir": dir, "files": paths }))?,
        false => {
            let mut text = paths.map(|path| dir.join(path).display().to_string()).join("\n");
            let to = if dir.as_os_str() == "." {
                String::new()
            } else {
                format!("cd {} && ", dir.display())
            };
            text.push_str(&format!(
                "\n\nnext:  {to}stepwell serve --workflows workflows --watch\n       \
                 stepwell start order --input '{{\"item\": \"oak\", \"quantity\": 2}}' --wait"
            ));
            out.print(&text)?;
        }
    }
    Ok(Exit::Ok)
}
