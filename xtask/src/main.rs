//! `cargo xtask <command>`: builds, serves, tests and measures the page on a machine that has rustup and a C compiler.

use std::process::{Command, ExitCode, Stdio};

use xtask::{
    Error, Result, bench, checks, lint,
    page::{self, Profile},
    server::Site,
    tools,
};

const USAGE: &str = "\
usage: cargo xtask <command>
  serve [--port N] [--no-open]   build the page and serve it on this machine (port 8080, or any free one)
  build [--public-url URL]       build the release page into dist/ (by default it works under any path)
  test [[--release] FILTER]      run every check, the ones in a real browser included; with FILTER only tests with that in
                                 their names, building only what holds them (--release: on the page as it is shipped)
  bench [--json] [--peer] [--loading] [--minute] [--build] [--soak]
                                 measure the engine; --peer first installs what the comparison needs, --loading measures
                                 only a download of 500 MB at 20 MB/s, --minute only the first minute of a visit, --build
                                 only how long one waits for these commands, in new clones (two hours), --soak only what
                                 an hour of runs in one page does to its memory (`bench --soak MINUTES`: so many)";

/// Tried first; a free port is taken where it is in use.
const PORT: u16 = 8080;

fn main() -> ExitCode {
    if let Some(code) = lint::as_compiler() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a command; says whether what it checked is well.
fn dispatch(arguments: &[&str]) -> Result<bool> {
    match arguments {
        ["serve", options @ ..] => serve(options).map(|()| true),
        ["build"] => build(page::PUBLIC_URL).map(|()| true),
        ["build", "--public-url", url] => build(url).map(|()| true),
        ["test"] => checks::everything(),
        ["test", "--release", filter] if !filter.starts_with('-') => checks::named(filter, Profile::Release),
        ["test", filter] if !filter.starts_with('-') => checks::named(filter, Profile::Serve),
        ["bench", "--soak", minutes] => {
            let expected = || Error::Usage(format!("--soak expects a number of minutes, got {minutes:?}"));
            let only_soak = Some(minutes.parse().map_err(|_| expected())?);
            bench::bench(&bench::Options { only_soak, ..Default::default() }).map(|()| true)
        }
        ["bench", options @ ..]
            if options
                .iter()
                .all(|option| ["--json", "--peer", "--loading", "--minute", "--build", "--soak"].contains(option)) =>
        {
            let has = |option| options.contains(&option);
            let (json, install_peer) = (has("--json"), has("--peer"));
            let (only_loading, only_minute, only_build) = (has("--loading"), has("--minute"), has("--build"));
            let only_soak = has("--soak").then_some(bench::soak::MINUTES);
            let options = bench::Options { json, install_peer, only_loading, only_minute, only_build, only_soak };
            bench::bench(&options).map(|()| true)
        }
        _ => Err(Error::Usage(USAGE.into())),
    }
}

fn build(public_url: &str) -> Result<()> {
    let dist = page::build(Profile::Release, public_url)?;
    println!("The page is in {}: copy that folder to any static host.", dist.display());
    Ok(())
}

fn serve(mut options: &[&str]) -> Result<()> {
    let (mut port, mut open) = (None, true);
    loop {
        options = match options {
            [] => break,
            ["--no-open", rest @ ..] => {
                open = false;
                rest
            }
            ["--port", number, rest @ ..] => {
                let expected = || Error::Usage(format!("--port expects a number from 0 to 65535, got {number:?}"));
                port = Some(number.parse().map_err(|_| expected())?);
                rest
            }
            _ => return Err(Error::Usage(USAGE.into())),
        }
    }
    let dist = page::build(Profile::Serve, page::PUBLIC_URL)?;
    let server = match port {
        Some(port) => Site::new(&dist).serve(port).map_err(Error::io(format!("port {port}")))?,
        None => Site::new(&dist)
            .serve(PORT)
            .or_else(|_| Site::new(&dist).serve(0))
            .map_err(Error::io("no port to listen on"))?,
    };
    println!("\nFairbits is at {}  (Ctrl-C ends it)", server.url("/"));
    if open {
        show(&server.url("/"));
    }
    server.run();
    Ok(())
}

/// Opens the person's browser where the desktop has a command for it; the address is printed anyway.
fn show(url: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let desktop =
        cfg!(target_os = "macos") || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    if let (true, Some(opener)) = (desktop, tools::on_path(opener)) {
        Command::new(opener).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok();
    }
}
