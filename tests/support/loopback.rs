//! An HTTP server on a loopback port of its own, for the scripted APIs.

use std::{convert::Infallible, error::Error, net::SocketAddr};

use hyper::{
    Request, Response,
    body::{Body, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, runtime::Runtime};

/// A running server. Dropping it ends all its connections.
#[derive(Debug)]
pub(crate) struct Loopback {
    address: SocketAddr,
    /// Held for its drop: the server lives as long as this.
    _runtime: Runtime,
}

impl Loopback {
    /// Starts a server that answers every request with `respond`.
    pub(crate) fn start<F, A, B>(respond: F) -> Self
    where
        F: Fn(Request<Incoming>) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Response<B>> + Send + 'static,
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).expect("a loopback port");
        let address = listener.local_addr().expect("the port");
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let respond = respond.clone();
                tokio::spawn(async move {
                    let service = service_fn(|request| {
                        let answer = respond(request);
                        async { Ok::<_, Infallible>(answer.await) }
                    });
                    // A client that goes away in the middle is a client's right.
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { address, _runtime: runtime }
    }

    /// `http://` and the address.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}
