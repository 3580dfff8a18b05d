package io.despina.snapshot;

import io.despina.json.RecordJson;
import io.despina.state.SnapshotException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * A state folder that has a registry elsewhere: for what coordinators decide among themselves, as who has a job. All else is in
 * its files. One of them names the registry, so that whoever opens the folder asks there. Each folder has that file, also one
 * that is its own registry: of two first runs at once, only one writes it.
 */
public final class RegisteredStore implements SnapshotStore {
    private static final String NAME = "registry.json";
    private static final int FORMAT = 1;
    /** What is named as the registry where it is the folder itself. */
    private static final String ITSELF = "folder";

    private final SnapshotStore files;
    private final SnapshotStore registry;

    /**
     * What the folder says of its registry.
     *
     * @param id of the folder there: others may have the same registry, and this one may be removed and made again
     */
    private record Named(int format, String registry, String id) {
    }

    public RegisteredStore(SnapshotStore files, SnapshotStore registry) {
        this.files = files;
        this.registry = registry;
    }

    /** The folder with the registry that it names, which is not asked before it is needed; the same if it names no other. */
    static SnapshotStore of(SnapshotStore files) throws IOException {
        try {
            Named named = named(files);
            return named == null || named.registry.equals(ITSELF) ? files : new RegisteredStore(files, at(files, named));
        } catch (CutShortException half) {
            return files;       // whoever makes it has claimed nothing yet
        }
    }

    /** @return null if it says nothing yet */
    private static Named named(SnapshotStore files) throws IOException {
        if (!files.exists(NAME)) {
            return null;
        }
        try (InputStream in = files.open(NAME, 0)) {
            Named named = RecordJson.read(ManifestText.content(NAME, in.readAllBytes()), Named.class);
            if (named.format > FORMAT) {
                throw new SnapshotException(NAME + ": format " + named.format + ", which a later engine wrote; this one reads up"
                        + " to " + FORMAT);
            }
            return named;
        } catch (IllegalArgumentException other) {
            throw new SnapshotException(NAME + ": " + other.getMessage());
        }
    }

    private static SnapshotStore at(SnapshotStore files, Named named) throws SnapshotException {
        try {
            return new ZooKeeperStore(RegistryAddress.of(named.registry), named.id, System.getenv(ZooKeeperStore.PASSWORD));
        } catch (IllegalArgumentException unknown) {
            throw new SnapshotException(NAME + " in " + files + " names a registry that this engine does not know: "
                    + named.registry);
        }
    }

    /**
     * Has a folder name its registry, if it does not yet, before anything is claimed. A registry elsewhere is told before, so
     * that none is named that is not there, or does not take it.
     *
     * @param folder   as it was opened
     * @param registry that the user names; null for whatever the folder has
     * @throws SnapshotException if the user names one, and the folder has another or has been its own
     */
    public static void name(SnapshotStore folder, RegistryAddress registry) throws IOException {
        Named named = settled(folder);
        while (named == null) {
            try {
                write(folder, registry);
            } catch (IOException closed) {
                if (registry != null || !isUsed(folder)) {
                    throw closed;
                }
                return;     // it is its own without saying so: its user may write to the folders of graphs alone
            }
            named = settled(folder);
        }
        if (registry == null || named.registry.equals(registry.toString())) {
            return;
        }
        if (named.registry.equals(ITSELF)) {
            throw used(registry);
        }
        throw new SnapshotException("its registry is " + named.registry + ", and not " + registry);
    }

    private static void write(SnapshotStore folder, RegistryAddress registry) throws IOException {
        Named wanted = new Named(FORMAT, registry == null ? ITSELF : registry.toString(), UUID.randomUUID().toString());
        if (registry != null) {
            if (isUsed(folder)) {
                throw used(registry);
            }
            at(folder, wanted).createIfAbsent("of", folder.toString().getBytes(StandardCharsets.UTF_8));
        }
        folder.createIfAbsent(NAME, ManifestText.sealed(RecordJson.object(wanted)));
    }

    private static Named settled(SnapshotStore folder) throws IOException {
        try {
            return named(folder);
        } catch (CutShortException half) {
            folder.delete(NAME);        // who made it died meanwhile
            return named(folder);
        }
    }

    /** Whether an engine has used it which did not name registries. */
    private static boolean isUsed(SnapshotStore folder) throws IOException {
        for (String graph : folder.list("")) {
            if (!folder.list(graph + "/" + FolderPaths.ATTEMPTS).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private static SnapshotException used(RegistryAddress registry) {
        return new SnapshotException("it has been its own registry, and cannot get " + registry + " from now on");
    }

    private SnapshotStore of(String path) {
        return FolderPaths.isOfRegistry(path) ? registry : files;
    }

    @Override
    public NewFile create(String path) throws IOException {
        return of(path).create(path);
    }

    @Override
    public Path local() {
        return files.local();
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        return of(path).createIfAbsent(path, content);
    }

    @Override
    public void replace(String path, byte[] content) throws IOException {
        of(path).replace(path, content);
    }

    @Override
    public boolean replace(String path, long modifiedMillis, byte[] content) throws IOException {
        return of(path).replace(path, modifiedMillis, content);
    }

    @Override
    public Closeable lock(String path, byte[] content) throws IOException {
        return of(path).lock(path, content);
    }

    @Override
    public long leaseMillis() {
        return registry.leaseMillis();
    }

    @Override
    public void force(String path) throws IOException {
        of(path).force(path);
    }

    @Override
    public InputStream open(String path, long offset) throws IOException {
        return of(path).open(path, offset);
    }

    @Override
    public long length(String path) throws IOException {
        return of(path).length(path);
    }

    @Override
    public long modifiedMillis(String path) throws IOException {
        return of(path).modifiedMillis(path);
    }

    @Override
    public boolean exists(String path) throws IOException {
        return of(path).exists(path);
    }

    @Override
    public List<String> list(String folder) throws IOException {
        return of(folder).list(folder);
    }

    @Override
    public List<Stored> files(String folder) throws IOException {
        return of(folder).files(folder);
    }

    @Override
    public void delete(String path) throws IOException {
        of(path).delete(path);
    }

    @Override
    public String toString() {
        return files.toString();
    }
}
