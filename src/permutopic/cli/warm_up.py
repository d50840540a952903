"""`permutopic warm-up`: compile everything in advance."""

from __future__ import annotations

import click


@click.command("warm-up")
def warm_up_command() -> None:
    """Compile everything now and keep it, for container images and CI."""
    from permutopic.cli.progress import shown_steps
    from permutopic.jit_cache import cache_folder
    from permutopic.warm_up import warm_up

    with shown_steps("task") as on_task:
        done = warm_up(on_task)
    folder = cache_folder()
    if done.n_compiled:
        click.echo(f"{done.n_compiled} functions compiled in {done.seconds:.0f} s: {folder.until}")
    else:
        click.echo(f"everything was compiled already: {folder.path}")
