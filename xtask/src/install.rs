//! Installing the C library.

use crate::place::{self, DATA, LIBRARY};
use crate::{Result, archive, functions, root};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

/// What the shared library is called by programs, behind `libsqlthrottle.so.`: bindings/c/build.rs writes it into the library.
const SOVERSION: &str = "0";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where it is installed.
#[derive(Args)]
pub(crate) struct InstallC {
    /// Where it will be used from
    #[arg(long, default_value = "/usr/local")]
    prefix: PathBuf,
    /// Where libraries belong: under the prefix, or anywhere where it is absolute
    #[arg(long, default_value = "lib")]
    libdir: PathBuf,
    /// Where headers belong: under the prefix, or anywhere where it is absolute
    #[arg(long, default_value = "include")]
    includedir: PathBuf,
    /// A directory in front of all of them to put everything in, for making packages
    #[arg(long)]
    destdir: Option<PathBuf>,
    /// Where cargo has built the library, and rustc has written what a static one needs
    #[arg(long, default_value = "target/release")]
    built: PathBuf,
}

/// What the system calls a shared library.
struct Names {
    /// With the whole version: the file.
    real: String,
    /// With the version that programs ask for: a link to the file.
    soname: String,
    /// What the linker looks for: a link to the one programs ask for.
    link: &'static str,
    /// What cargo calls it.
    built: &'static str,
}

impl Names {
    fn of_this_system() -> Result<Self> {
        if cfg!(target_os = "linux") {
            Ok(Self {
                real: format!("libsqlthrottle.so.{VERSION}"),
                soname: format!("libsqlthrottle.so.{SOVERSION}"),
                link: "libsqlthrottle.so",
                built: "libsqlthrottle_c.so",
            })
        } else if cfg!(target_os = "macos") {
            Ok(Self {
                real: format!("libsqlthrottle.{VERSION}.dylib"),
                soname: format!("libsqlthrottle.{SOVERSION}.dylib"),
                link: "libsqlthrottle.dylib",
                built: "libsqlthrottle_c.dylib",
            })
        } else {
            Err("the C library is installed on Linux and macOS alone".into())
        }
    }
}

impl InstallC {
    pub(crate) fn run(self) -> Result<()> {
        let names = Names::of_this_system()?;
        let prefix = std::path::absolute(&self.prefix)?;
        let include = prefix.join(&self.includedir);
        let lib = prefix.join(&self.libdir);
        let package = lib.join("cmake/sqlthrottle");

        let header = root().join("include/sqlthrottle.h");
        let archive = archive::of_public_symbols(&self.built.join("libsqlthrottle_c.a"), &functions::of_the_header()?)?;
        place::file(&header, &self.ready(&include)?.join("sqlthrottle.h"), DATA)?;
        let ready = self.ready(&lib)?;
        place::file(&archive, &ready.join("libsqlthrottle.a"), DATA)?;
        place::file(&self.built.join(names.built), &ready.join(&names.real), LIBRARY)?;
        place::link(&names.real, &ready.join(&names.soname))?;
        place::link(&names.soname, &ready.join(names.link))?;

        let said = self.built.join("libsqlthrottle_c.libs");
        let libs = fs::read_to_string(&said).map_err(|error| format!("{}: {error}", said.display()))?;
        let libs: Vec<_> = libs.split_whitespace().collect();
        let pkg_config = |path: &Path| path.to_string_lossy().replace(' ', "\\ ");
        let for_pkg_config = [
            ("@PREFIX@", pkg_config(&prefix)),
            ("@LIBDIR@", pkg_config(&under(&prefix, "${prefix}", &lib))),
            ("@INCLUDEDIR@", pkg_config(&under(&prefix, "${prefix}", &include))),
            ("@NATIVE_LIBS@", libs.join(" ")),
            ("@VERSION@", VERSION.to_owned()),
        ];
        self.fill("sqlthrottle.pc.in", &for_pkg_config, &lib.join("pkgconfig"))?;

        let cmake = |path: &Path| path.to_string_lossy().into_owned();
        let for_cmake = [
            ("@PREFIX@", cmake(&seen_from(&package, &prefix))),
            ("@LIBDIR@", cmake(&under(&prefix, "${_sqlthrottle_prefix}", &lib))),
            ("@INCLUDEDIR@", cmake(&under(&prefix, "${_sqlthrottle_prefix}", &include))),
            ("@NATIVE_LIBS@", libs.join(";")),
            ("@SHARED@", names.real),
            ("@SONAME@", names.soname),
            ("@POINTER_SIZE@", size_of::<usize>().to_string()),
            ("@VERSION@", VERSION.to_owned()),
        ];
        self.fill("sqlthrottle-config.cmake.in", &for_cmake, &package)?;
        self.fill("sqlthrottle-config-version.cmake.in", &for_cmake, &package)?;
        println!("installed {VERSION} in {}; pkg-config finds it with", prefix.display());
        println!("    export PKG_CONFIG_PATH=\"{}\"", lib.join("pkgconfig").display());
        Ok(())
    }

    /// The directory to write to for one that its files are used from, made where there is none.
    fn ready(&self, used: &Path) -> Result<PathBuf> {
        let written = match &self.destdir {
            // In front of an absolute path, as other installers have it.
            Some(destdir) => destdir.join(used.strip_prefix("/").unwrap_or(used)),
            None => used.to_owned(),
        };
        fs::create_dir_all(&written).map_err(|error| format!("{}: {error}", written.display()))?;
        Ok(written)
    }

    /// Fills a template of bindings/c/install with what this installation is.
    fn fill(&self, template: &str, holes: &[(&str, String)], used: &Path) -> Result<()> {
        let text = fs::read_to_string(root().join("bindings/c/install").join(template))?;
        let text = holes.iter().fold(text, |text, (hole, value)| text.replace(hole, value));
        place::text(&text, &self.ready(used)?.join(template.trim_end_matches(".in")), DATA)
    }
}

/// A directory, behind a variable for the prefix where it is under that, so that it moves with it.
fn under(prefix: &Path, variable: &str, directory: &Path) -> PathBuf {
    directory.strip_prefix(prefix).map_or_else(|_| directory.to_owned(), |rest| Path::new(variable).join(rest))
}

/// The prefix as a file of the package for `CMake` finds it: from where it is, if that is under the prefix.
fn seen_from(package: &Path, prefix: &Path) -> PathBuf {
    let up = |rest: &Path| Path::new("${_sqlthrottle_here}").join("../".repeat(rest.components().count()));
    package.strip_prefix(prefix).map_or_else(|_| prefix.to_owned(), up)
}
