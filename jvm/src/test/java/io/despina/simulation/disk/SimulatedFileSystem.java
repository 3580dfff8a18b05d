package io.despina.simulation.disk;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** One disk, as Java sees it. */
final class SimulatedFileSystem extends FileSystem {
    private final FileSystemProvider provider;
    private final SimulatedDisk disk;

    SimulatedFileSystem(FileSystemProvider provider, SimulatedDisk disk) {
        this.provider = provider;
        this.disk = disk;
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return disk.has(SimulatedDisk.Trouble.READ_ONLY);
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(disk.path());
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return Set.of("basic");
    }

    @Override
    public Path getPath(String first, String... more) {
        return new SimulatedPath(this, disk, Path.of(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String pattern) {
        PathMatcher usual = FileSystems.getDefault().getPathMatcher(pattern);
        return path -> usual.matches(Path.of(path.toString()));
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        throw new UnsupportedOperationException();
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SimulatedFileSystem system && system.disk == disk;
    }

    @Override
    public int hashCode() {
        return Objects.hash(disk.name());
    }
}
