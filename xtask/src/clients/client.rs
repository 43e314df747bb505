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
    /// Whether the guide has a patch that moves it to Drumline by hand.
    pub is_moved: bool,
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
        is_moved: false,
    }
}

impl Client {
    const fn small(self) -> Self {
        Client {
            is_small: true,
            ..self
        }
    }

    const fn moved(self) -> Self {
        Client {
            is_moved: true,
            ..self
        }
    }

    /// All of them.
    pub const ALL: &'static [Client] = &[
        client("du-dust", "1.2.7", &[]).moved(),
        client("parallel-disk-usage", "0.24.0", &[]).moved(),
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

    /// Those that were asked for; all if none was. Of these, the small ones only, or those only
    /// that the guide moves by hand.
    pub fn chosen(names: &[String], only_small: bool, only_moved: bool) -> Result<Vec<Client>> {
        for name in names {
            if !Self::ALL.iter().any(|client| client.name == name) {
                let all: Vec<_> = Self::ALL.iter().map(|client| client.name).collect();
                bail!("there is no client {name}; there are: {}", all.join(", "));
            }
        }
        let mut clients = Self::ALL.to_vec();
        clients.retain(|client| {
            let is_named = names.is_empty() || names.iter().any(|name| client.name == name);
            is_named && (client.is_small || !only_small) && (client.is_moved || !only_moved)
        });
        if clients.is_empty() {
            bail!("none of these is one that the options leave; name others, or none");
        }
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
        let all = Client::chosen(&[], false, false).unwrap();
        assert_eq!(all, Client::ALL);
        let small = Client::chosen(&[], true, false).unwrap();
        assert!(!small.is_empty() && small.len() < all.len());
        let named = |name: &str, only_moved| Client::chosen(&[name.to_owned()], false, only_moved);
        assert_eq!(named("jwalk", false).unwrap().len(), 1);
        let error = named("rayon", false).unwrap_err();
        assert!(error.to_string().contains("du-dust, parallel"), "{error}");
        assert_eq!(named("du-dust", true).unwrap().len(), 1);
        assert!(named("jwalk", true).is_err());
    }
}
