package io.despina.snapshot;

/** That the manifest of an epoch is kept, so that its sinks may commit. Only a {@link StateFolder} makes one. */
public final class CommitPermit {
    private final Manifest manifest;

    CommitPermit(Manifest manifest) {
        this.manifest = manifest;
    }

    public Manifest manifest() {
        return manifest;
    }

    public long epoch() {
        return manifest.epoch();
    }

    @Override
    public String toString() {
        return "permit to commit epoch " + epoch();
    }
}
