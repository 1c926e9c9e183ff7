//! Installing the C library.

use crate::{Result, root};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the shared library is called by programs, behind `libsqlthrottle.so.`: bindings/c/build.rs writes it into the library.
const SOVERSION: &str = "0";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where it is installed.
#[derive(Args)]
pub(crate) struct InstallC {
    /// Where it will be used from
    #[arg(long, default_value = "/usr/local")]
    prefix: PathBuf,
    /// Where libraries belong, under the prefix
    #[arg(long, default_value = "lib")]
    libdir: PathBuf,
    /// Where headers belong, under the prefix
    #[arg(long, default_value = "include")]
    includedir: PathBuf,
    /// A directory in front of the prefix to put everything in, for making packages
    #[arg(long)]
    destdir: Option<PathBuf>,
    /// Where cargo has built the library
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
        let into = |directory: &Path| -> Result<PathBuf> {
            let inside = self.prefix.join(directory);
            // In front of an absolute path, as other installers have it.
            let whole = match &self.destdir {
                Some(destdir) => destdir.join(inside.strip_prefix("/").unwrap_or(&inside)),
                None => inside,
            };
            fs::create_dir_all(&whole).map_err(|error| format!("{}: {error}", whole.display()))?;
            Ok(whole)
        };
        let lib = into(&self.libdir)?;
        place(&root().join("include/sqlthrottle.h"), &into(&self.includedir)?.join("sqlthrottle.h"))?;
        place(&self.built.join("libsqlthrottle_c.a"), &lib.join("libsqlthrottle.a"))?;
        place(&self.built.join(names.built), &lib.join(&names.real))?;
        link(&names.real, &lib.join(&names.soname))?;
        link(&names.soname, &lib.join(names.link))?;
        self.fill("sqlthrottle.pc.in", &into(&self.libdir.join("pkgconfig"))?)?;
        let package = into(&self.libdir.join("cmake/sqlthrottle"))?;
        self.fill("sqlthrottle-config.cmake.in", &package)?;
        self.fill("sqlthrottle-config-version.cmake.in", &package)
    }

    /// Fills a template of bindings/c/install with what this installation is.
    fn fill(&self, template: &str, directory: &Path) -> Result<()> {
        let text = fs::read_to_string(root().join("bindings/c/install").join(template))?;
        let names = Names::of_this_system()?;
        let libs = native_libs()?;
        let up = "../".repeat(self.libdir.join("cmake/sqlthrottle").components().count());
        let text = [
            ("@PREFIX@", self.prefix.to_string_lossy().as_ref()),
            ("@LIBDIR@", self.libdir.to_string_lossy().as_ref()),
            ("@INCLUDEDIR@", self.includedir.to_string_lossy().as_ref()),
            ("@VERSION@", VERSION),
            ("@SHARED@", &names.real),
            ("@SONAME@", &names.soname),
            ("@NATIVE_LIBS@", &libs),
            ("@UP@", up.trim_end_matches('/')),
        ]
        .iter()
        .fold(text, |text, (hole, value)| text.replace(hole, value));
        let path = directory.join(template.trim_end_matches(".in"));
        Ok(fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?)
    }
}

/// What a program needs besides that is linked with the static library, as the compiler says it.
fn native_libs() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc)
        .args(["--crate-type", "staticlib", "--print", "native-static-libs", "--emit", "metadata", "-o", "-", "-"])
        .stdin(std::process::Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&asked.stderr).into_owned();
    let libs = said.lines().find_map(|line| line.split_once("native-static-libs: ")).map(|(_, libs)| libs.trim());
    libs.map(str::to_owned).ok_or_else(|| format!("rustc does not say what a static library needs: {said}").into())
}

/// Copies a file. Where one is in its place that a program may have loaded, that is not overwritten but replaced.
fn place(from: &Path, to: &Path) -> Result<()> {
    let mut aside = to.to_owned();
    aside.as_mut_os_string().push(".new");
    fs::copy(from, &aside).map_err(|error| format!("{}: {error}", from.display()))?;
    Ok(fs::rename(&aside, to).map_err(|error| format!("{}: {error}", to.display()))?)
}

#[cfg(unix)]
fn link(to: &str, at: &Path) -> Result<()> {
    match fs::remove_file(at) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    Ok(std::os::unix::fs::symlink(to, at)?)
}

#[cfg(not(unix))]
fn link(_: &str, _: &Path) -> Result<()> {
    Err("this system has no links of that kind".into())
}
