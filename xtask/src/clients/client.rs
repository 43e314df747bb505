//! What is built, and with which features.

use std::fmt;

use anyhow::{Result, bail};

/// A published package that uses rayon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// Its name in the registry.
    pub name: &'static str,
    /// The version that is tested, so that a result can be repeated.
    pub version: &'static str,
    /// The features that bring rayon in, and those that its tests need.
    pub features: &'static [&'static str],
    /// Whether its tests take a minute or less, with what they need to be built.
    pub is_small: bool,
}

const fn client(
    name: &'static str,
    version: &'static str,
    features: &'static [&'static str],
) -> Client {
    Client {
        name,
        version,
        features,
        is_small: false,
    }
}

impl Client {
    const fn small(self) -> Self {
        Client {
            is_small: true,
            ..self
        }
    }

    /// All of them.
    pub const ALL: &'static [Client] = &[
        client("du-dust", "1.2.7", &[]),
        client("oxipng", "10.2.1", &["parallel"]),
        client("b3sum", "1.8.7", &[]),
        client("hashbrown", "0.17.2", &["rayon"]),
        client("indexmap", "2.14.2", &["rayon"]).small(),
        client("dashmap", "6.2.1", &["rayon"]).small(),
        client("ndarray", "0.17.2", &["rayon"]),
        client("petgraph", "0.8.3", &["rayon"]),
        client("indicatif", "0.18.6", &["rayon"]),
        client("nucleo", "0.5.0", &[]),
        client("jwalk", "0.9.0", &[]),
        client("rayon-cond", "0.4.0", &[]),
        client("image", "0.25.10", &["rayon"]),
        client("sysinfo", "0.40.4", &["multithread"]),
    ];

    /// Those that were asked for; all if none was.
    pub fn chosen(names: &[String], only_small: bool) -> Result<Vec<Client>> {
        for name in names {
            if !Self::ALL.iter().any(|client| client.name == name) {
                let all: Vec<_> = Self::ALL.iter().map(|client| client.name).collect();
                bail!("there is no client {name}; there are: {}", all.join(", "));
            }
        }
        let mut clients = Self::ALL.to_vec();
        clients.retain(|client| {
            let is_named = names.is_empty() || names.iter().any(|name| client.name == name);
            is_named && (client.is_small || !only_small)
        });
        Ok(clients)
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_chosen_by_name_or_size() {
        let all = Client::chosen(&[], false).unwrap();
        assert_eq!(all, Client::ALL);
        let small = Client::chosen(&[], true).unwrap();
        assert!(!small.is_empty() && small.len() < all.len());
        let named = Client::chosen(&["jwalk".to_owned()], false).unwrap();
        assert_eq!(named.len(), 1);
        let error = Client::chosen(&["rayon".to_owned()], false).unwrap_err();
        assert!(error.to_string().contains("du-dust, oxipng"), "{error}");
    }
}
