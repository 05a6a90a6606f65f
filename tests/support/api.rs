//! Talking HTTP to a test's kube-apiserver: making objects as kubelets and controllers would, taking them away again.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use http::{Method, Request};
use kube::Client;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::objects::Object;

/// Connections that objects are made over; the server makes no more with more of them.
const CONNECTIONS: usize = 8;

/// A client with all rights, and the thread that it runs on.
pub(crate) struct Api {
    runtime: Runtime,
    client: Option<Client>,
}

impl Api {
    /// A client of no server yet.
    pub(crate) fn unconnected() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        Self {
            runtime,
            client: None,
        }
    }

    /// A client of a kubeconfig's server.
    pub(crate) fn connect(kubeconfig: &Path) -> Self {
        let mut api = Self::unconnected();
        let client = api.runtime.block_on(async {
            let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
            let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
            Client::try_from(config.unwrap()).unwrap()
        });
        api.client = Some(client);
        api
    }

    fn client(&self) -> Client {
        self.client.clone().expect("a connected client")
    }

    /// What a path answers.
    pub(crate) fn text(&self, path: &str) -> Result<String, kube::Error> {
        let request = Request::get(path).body(Vec::new()).unwrap();
        self.runtime.block_on(self.client().request_text(request))
    }

    /// Makes objects, with their status, and starts the deletion of those that are terminating. Objects that others
    /// stand in (namespaces, definitions) come first.
    pub(crate) fn create(&self, objects: &[Object]) {
        let namespaces: BTreeSet<_> = objects.iter().filter_map(Object::namespace).collect();
        let known = ["default", "kube-system", "kube-public", "kube-node-lease"];
        self.runtime.block_on(async {
            for name in namespaces.into_iter().filter(|name| !known.contains(name)) {
                ensure_namespace(&self.client(), name).await;
            }
            let (first, rest): (Vec<_>, Vec<_>) = objects.iter().cloned().partition(Object::is_definition);
            for object in &first {
                create(&self.client(), object).await;
            }
            self.each(rest, async |client, object| create(&client, &object).await)
                .await;
        });
    }

    /// Deletes objects at once, whatever holds them.
    pub(crate) fn delete(&self, objects: &[Object]) {
        self.runtime
            .block_on(self.each(objects.to_vec(), async |client, object| {
                delete(&client, &object).await;
            }));
    }

    /// Does something with each object, over several connections.
    async fn each(&self, objects: Vec<Object>, act: impl AsyncFn(Client, Object) + Clone + 'static) {
        let local = tokio::task::LocalSet::new();
        let share = objects.len().div_ceil(CONNECTIONS).max(1);
        let mut tasks = JoinSet::new();
        for chunk in objects.chunks(share) {
            let (client, chunk, act) = (self.client(), chunk.to_vec(), act.clone());
            tasks.spawn_local_on(
                async move {
                    for object in chunk {
                        act(client.clone(), object).await;
                    }
                },
                &local,
            );
        }
        local
            .run_until(async {
                while let Some(done) = tasks.join_next().await {
                    done.unwrap();
                }
            })
            .await;
    }
}

async fn ensure_namespace(client: &Client, name: &str) {
    let object = Object::new("v1", "Namespace", None, name);
    match send(client, Method::POST, &object.collection(), &object.json).await {
        Ok(_) => {}
        Err(kube::Error::Api(status)) if status.code == 409 => {}
        Err(error) => panic!("namespace {name}: {error}"),
    }
}

async fn create(client: &Client, object: &Object) {
    let mut made = object.json.clone();
    let terminating = made["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("deletionTimestamp")
        .is_some();
    if terminating {
        made["metadata"]["finalizers"] = json!(["kubectl-skew.example/held"]);
    }
    let status = object
        .has_status_subresource()
        .then(|| made["status"].take())
        .filter(|s| !s.is_null());
    let mut answer = expect(object, send_when_served(client, object, &made).await);
    if let Some(status) = status {
        answer["status"] = status;
        let path = format!("{}/status", object.path());
        expect(object, send(client, Method::PUT, &path, &answer).await);
    }
    if terminating {
        expect(
            object,
            send(client, Method::DELETE, &object.path(), &json!({})).await,
        );
    }
}

/// Posts an object; of a kind that was defined a moment ago, as soon as it is served.
async fn send_when_served(client: &Client, object: &Object, body: &Value) -> Result<Value, kube::Error> {
    for _ in 0..100 {
        match send(client, Method::POST, &object.collection(), body).await {
            Err(kube::Error::Api(status)) if status.code == 404 && object.is_custom() => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            answer => return answer,
        }
    }
    send(client, Method::POST, &object.collection(), body).await
}

async fn delete(client: &Client, object: &Object) {
    if object.json["metadata"].get("deletionTimestamp").is_some() {
        let free = json!({"metadata": {"finalizers": null}});
        // Without it the object goes at its deletion; it may be gone already.
        let _ = send(client, Method::PATCH, &object.path(), &free).await;
    }
    let now = json!({"gracePeriodSeconds": 0, "propagationPolicy": "Background"});
    match send(client, Method::DELETE, &object.path(), &now).await {
        Ok(_) => {}
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        Err(error) => panic!("deleting {}: {error}", object.path()),
    }
    // A definition goes with all objects of its kind, and until it has, no other of its name may come.
    while object.is_definition()
        && send(client, Method::GET, &object.path(), &json!({}))
            .await
            .is_ok()
    {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn send(client: &Client, method: Method, path: &str, body: &Value) -> Result<Value, kube::Error> {
    let kind = if method == Method::PATCH {
        "application/merge-patch+json"
    } else {
        "application/json"
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("Content-Type", kind)
        .body(serde_json::to_vec(body).unwrap())
        .unwrap();
    client.request(request).await
}

fn expect(object: &Object, answer: Result<Value, kube::Error>) -> Value {
    answer.unwrap_or_else(|error| panic!("making {}: {error}", object.path()))
}
