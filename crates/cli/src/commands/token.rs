//! `stepwell token ...`

use stepwell::UnixMillis;
use stepwell_server::api::{CreateToken, CreatedToken, Scope, TokenList};

use super::{Cx, deleted};
use crate::args::{self, TokenCommand};
use crate::client::{Call, Reply};
use crate::error::Result;
use crate::exit::Exit;
use crate::out::{Paint, Style, Table, ago, clean, now};

/// What stands for every namespace.
const ALL: &str = "*";

pub async fn token(cx: &mut Cx<'_>, command: TokenCommand) -> Result<Exit> {
    match command {
        TokenCommand::Create(wish) => create(cx, wish).await,
        TokenCommand::List => {
            let reply: Reply<TokenList> = cx.client.call(Call::get(&["api", "tokens"])).await?;
            cx.show(&reply, |list, style| tokens_table(list, now(), style))
        }
        TokenCommand::Revoke { name } => {
            cx.client.call_for_nothing(Call::delete(&["api", "tokens", &name])).await?;
            cx.done(&deleted(&name), &format!("token {} is revoked", clean(&name)))
        }
    }
}

async fn create(cx: &mut Cx<'_>, wish: args::CreateToken) -> Result<Exit> {
    let wish = CreateToken {
        name: wish.name,
        scope: match wish.scope {
            args::ScopeArg::Read => Scope::Read,
            args::ScopeArg::Launch => Scope::Launch,
            args::ScopeArg::Admin => Scope::Admin,
        },
        namespace: wish.all_namespaces.then(|| ALL.to_owned()),
        expires_at: wish.expires.map(|when| when.at(now())),
    };
    let reply: Reply<CreatedToken> =
        cx.client.call(Call::post(&["api", "tokens"]).body(&wish)).await?;
    if !cx.out.json {
        let view = &reply.value.view;
        let place = if view.namespace == ALL {
            "every namespace".to_owned()
        } else {
            format!("namespace {}", view.namespace)
        };
        cx.out.say(&format!(
            "{} may {} in {}; keep it, it is not shown again",
            clean(&view.name),
            view.scope.as_str(),
            clean(&place)
        ))?;
    }
    // The token alone, for scripts.
    cx.show(&reply, |created, _| created.token.clone())
}

fn tokens_table(list: &TokenList, now: UnixMillis, style: Style) -> String {
    let mut table = Table::new(["NAME", "SCOPE", "NAMESPACE", "CREATED", "EXPIRES", "BEGINS"]);
    for token in &list.tokens {
        let expires = match token.expires_at {
            Some(at) if at.0 <= now => (Paint::Bad, format!("expired {}", ago(at.0, now))),
            Some(at) => (Paint::Plain, ago(at.0, now)),
            None => (Paint::Dim, "never".to_owned()),
        };
        table.row([
            (Paint::Bold, token.name.clone()),
            (Paint::Plain, token.scope.as_str().to_owned()),
            (Paint::Plain, token.namespace.clone()),
            (Paint::Dim, ago(token.created_at.0, now)),
            expires,
            (Paint::Dim, token.hint.clone()),
        ]);
    }
    table.render(style)
}
