//! Models of a hub: `org/name[@revision]`, resolved to a commit, so that whoever loads it later loads the same files.

use std::{collections::BTreeMap, fmt};

use serde::Deserialize;

use super::{
    error::ModelError,
    source::{Http, Source, Stated, http::Transport, is_hexadecimal, is_plain},
};

/// Where models are looked for unless a mirror is named.
pub const HOST: &str = "https://huggingface.co";
/// The revision that is meant when none is named.
const MAIN: &str = "main";
/// Characters of the longest part of a name.
const MOST_CHARACTERS: usize = 96;
/// Bound on what the hub says of a model: some two hundred bytes for each of its files.
const ANSWER_LIMIT: u64 = 8 << 20;
/// Hexadecimal digits of a commit.
const COMMIT_DIGITS: usize = 40;

/// A model of a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// `org/name`.
    id: String,
    /// Branch, tag or commit.
    revision: Option<String>,
}

impl Reference {
    /// Reads `org/name` or `org/name@revision`.
    pub fn parse(text: &str) -> Option<Reference> {
        let (id, revision) = match text.split_once('@') {
            Some((id, revision)) => (id, Some(revision)),
            None => (text, None),
        };
        let (owner, name) = id.split_once('/')?;
        let revision_is_right = revision.is_none_or(|revision| revision.split('/').all(is_name));
        (is_name(owner) && is_name(name) && revision_is_right)
            .then(|| Reference { id: id.into(), revision: revision.map(String::from) })
    }

    /// `org/name`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its name without its owner.
    pub fn name(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }

    /// Branch, tag or commit.
    pub fn revision(&self) -> &str {
        self.revision.as_deref().unwrap_or(MAIN)
    }

    /// The same model at a commit.
    fn at(&self, commit: &str) -> Reference {
        Reference { id: self.id.clone(), revision: Some(commit.into()) }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)?;
        self.revision.iter().try_for_each(|revision| write!(f, "@{revision}"))
    }
}

/// A plain name that is not long and does not begin with `-`.
fn is_name(name: &str) -> bool {
    is_plain(name) && name.len() <= MOST_CHARACTERS && !name.starts_with('-')
}

/// What a hub says of a model, as far as it is read.
#[derive(Deserialize)]
struct Answer {
    sha: String,
    #[serde(default)]
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    /// The id that git has for it; of a large file, for what points to it.
    #[serde(rename = "blobId", alias = "oid")]
    blob: Option<String>,
    lfs: Option<Stored>,
}

impl Sibling {
    /// What the hub says of the file's bytes.
    fn stated(&self) -> Option<Stated> {
        match &self.lfs {
            Some(stored) => Stated::sha256(stored.sha256.as_deref()?),
            None => Stated::git_blob(self.blob.as_deref()?),
        }
    }
}

#[derive(Deserialize)]
struct Stored {
    sha256: Option<String>,
}

/// A model at its commit.
pub struct Resolved<T> {
    /// With the commit as its revision.
    pub reference: Reference,
    /// Its files, each checked against what the hub says of it.
    pub source: Http<T>,
}

/// Asks the hub at `host` for the commit of a model, and for what its files are.
pub async fn resolve<T: Transport>(host: &str, reference: &Reference, transport: T) -> Result<Resolved<T>, ModelError> {
    let host = host.trim_end_matches('/');
    let (id, revision) = (reference.id(), reference.revision());
    // A revision such as refs/pr/1 is one part of the path.
    let question = format!("{}?blobs=true", revision.replace('/', "%2F"));
    let api = Http::new(&format!("{host}/api/models/{id}/revision"), transport.clone());
    let answer: Answer = api.read_json(&question, ANSWER_LIMIT).await.map_err(|fault| match fault {
        // The hub answers 401 where a model does not exist, so that nobody learns which ones are private.
        ModelError::NotFound { .. } | ModelError::Status { status: 401 | 403, .. } => {
            ModelError::NotOnHub { model: reference.to_string(), host: host.into() }
        }
        other => ModelError::HubUnreadable { host: host.into(), reason: other.to_string() },
    })?;
    if !is_hexadecimal(&answer.sha, COMMIT_DIGITS) {
        let reason = format!("it names no commit for {reference}");
        return Err(ModelError::HubUnreadable { host: host.into(), reason });
    }
    let stated = answer.siblings.into_iter().filter_map(|file| Some((file.stated()?, file.rfilename)));
    let stated: BTreeMap<String, Stated> = stated.map(|(stated, file)| (file, stated)).collect();
    let folder = format!("{host}/{id}/resolve/{}", answer.sha);
    Ok(Resolved { reference: reference.at(&answer.sha), source: Http::new(&folder, transport).with_stated(stated) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_an_owner_a_name_and_perhaps_a_revision() {
        let plain = Reference::parse("bigscience/bloom-560m").unwrap();
        assert_eq!((plain.id(), plain.name(), plain.revision()), ("bigscience/bloom-560m", "bloom-560m", "main"));
        let at = Reference::parse("a/b.c_d@refs/pr/1").unwrap();
        assert_eq!((at.id(), at.revision(), at.to_string().as_str()), ("a/b.c_d", "refs/pr/1", "a/b.c_d@refs/pr/1"));
        for wrong in [
            "", "gpt2", "a/", "/b", "a/b/c", "a/..", "../b", "a/b@", "a/b@../x", "a/b@x?y", "a b/c", "a/b#c", "-a/b",
            "a/b@x@y",
        ] {
            assert_eq!(Reference::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Reference::parse(&format!("a/{}", "b".repeat(97))), None);
    }
}
