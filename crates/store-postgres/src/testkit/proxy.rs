//! Something between a store and its database that delays and loses answers, and cuts connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Clones are the same proxy.
#[derive(Clone)]
pub struct Proxy {
    state: Arc<State>,
    port: u16,
}

struct State {
    /// Answers are swallowed.
    is_deaf: AtomicBool,
    is_open: AtomicBool,
    /// Answers wait.
    is_held: watch::Sender<bool>,
    /// Pieces of answers that came by.
    n_pieces: watch::Sender<u64>,
    n_cuts: AtomicU64,
    /// Connections of an older generation end.
    generation: watch::Sender<u64>,
}

impl Proxy {
    /// Something that passes everything on to a port of this machine.
    pub async fn start(to: u16) -> Proxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            is_deaf: AtomicBool::new(false),
            is_open: AtomicBool::new(true),
            is_held: watch::Sender::new(false),
            n_pieces: watch::Sender::new(0),
            n_cuts: AtomicU64::new(0),
            generation: watch::Sender::new(0),
        });
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if shared.is_open.load(Ordering::Acquire)
                    && let Ok(server) = TcpStream::connect(("127.0.0.1", to)).await
                {
                    tokio::spawn(pass(Arc::clone(&shared), client, server));
                }
            }
        });
        Proxy { state, port }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// How often answers were lost.
    pub fn n_cuts(&self) -> u64 {
        self.state.n_cuts.load(Ordering::Relaxed)
    }

    /// Lets this many pieces of answers pass, swallows what comes next, and cuts all connections. What was
    /// sent to the database before arrives there.
    pub async fn lose_answers_and_cut(&self, n_pieces: u64) {
        let state = &self.state;
        let mut seen = state.n_pieces.subscribe();
        let from = *seen.borrow_and_update();
        // If nothing goes on any more, there is nothing to cut.
        let came = seen.wait_for(|n| *n >= from + n_pieces);
        if tokio::time::timeout(std::time::Duration::from_millis(500), came).await.is_err() {
            return;
        }
        state.is_deaf.store(true, Ordering::Release);
        let swallowed = seen.wait_for(|n| *n >= from + n_pieces + 2);
        let _ = tokio::time::timeout(std::time::Duration::from_millis(500), swallowed).await;
        state.n_cuts.fetch_add(1, Ordering::Relaxed);
        state.generation.send_modify(|generation| *generation += 1);
        state.is_deaf.store(false, Ordering::Release);
    }

    /// Lets answers wait for so long, and passes them on then.
    pub async fn hold(&self, span: std::time::Duration) {
        self.state.is_held.send_replace(true);
        tokio::time::sleep(span).await;
        self.state.is_held.send_replace(false);
    }

    /// Cuts all connections and takes no new ones.
    pub fn close(&self) {
        self.state.is_open.store(false, Ordering::Release);
        self.state.generation.send_modify(|generation| *generation += 1);
    }

    /// Takes connections again.
    pub fn open(&self) {
        self.state.is_open.store(true, Ordering::Release);
    }
}

async fn pass(state: Arc<State>, client: TcpStream, server: TcpStream) {
    let mut generation = state.generation.subscribe();
    let own = *generation.borrow_and_update();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = questions(from_client, to_server) => {}
        () = answers(&state, from_server, to_client) => {}
        _ = generation.wait_for(|generation| *generation != own) => {}
    }
}

async fn questions(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    let mut piece = vec![0; 64 * 1024];
    while let Ok(n) = from.read(&mut piece).await
        && n > 0
    {
        if to.write_all(&piece[..n]).await.is_err() {
            return;
        }
    }
}

async fn answers(state: &State, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    let mut piece = vec![0; 64 * 1024];
    while let Ok(n) = from.read(&mut piece).await
        && n > 0
    {
        state.n_pieces.send_modify(|n_pieces| *n_pieces += 1);
        // The sender is in the state, so it is there.
        let _ = state.is_held.subscribe().wait_for(|is_held| !*is_held).await;
        if !state.is_deaf.load(Ordering::Acquire) && to.write_all(&piece[..n]).await.is_err() {
            return;
        }
    }
}
