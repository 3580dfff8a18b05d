package io.despina.snapshot;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** Chooses the store for an address: {@link LocalStore} for this machine, {@link HadoopStore} for other file systems. */
public final class SnapshotStores {

    /** Gives the store at an address. */
    @FunctionalInterface
    public interface ByAddress {
        SnapshotStore open(String address) throws IOException;
    }

    private SnapshotStores() {
    }

    /** Whether it is an address, as {@code s3a://…} or {@code file:///…}; else it is a path of this machine. */
    public static boolean isAddress(String given) {
        return given.matches("[A-Za-z][A-Za-z0-9+.-]+:.*");
    }

    /**
     * The store at a path or an address, with the registry that it names.
     *
     * @param hadoop Hadoop's settings, for schemes other than {@code file}
     */
    public static SnapshotStore at(String address, Map<String, String> hadoop) throws IOException {
        URI uri = isAddress(address) ? URI.create(address) : null;
        if (uri == null || "file".equals(uri.getScheme())) {
            return RegisteredStore.of(new LocalStore(Path.of(uri == null ? address : uri.getPath())));
        }
        Configuration configuration = new Configuration();
        hadoop.forEach(configuration::set);
        return RegisteredStore.of(new HadoopStore(address, configuration));
    }
}
