//! The packages for Java have the version of the workspace.

// A test that cannot go on says so by panicking.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// The version that a `pom.xml` says first: its own, or that of its parent, which is its own too.
fn version(pom: &Path) -> String {
    let text = fs::read_to_string(pom).unwrap();
    let (_, rest) = text.split_once("<version>").unwrap();
    rest.split_once("</version>").unwrap().0.to_owned()
}

#[test]
fn every_pom_has_the_version_of_the_workspace() {
    let java = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java");
    let modules = fs::read_dir(&java).unwrap().map(|entry| entry.unwrap().path().join("pom.xml"));
    let mut poms: Vec<PathBuf> = modules.filter(|pom| pom.exists()).collect();
    assert!(!poms.is_empty());
    poms.push(java.join("pom.xml"));
    poms.push(java.join("../examples/java-mybatis/pom.xml"));
    for pom in poms {
        assert_eq!(version(&pom), env!("CARGO_PKG_VERSION"), "{}", pom.display());
    }
}
