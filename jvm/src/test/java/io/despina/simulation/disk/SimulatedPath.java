package io.despina.simulation.disk;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;

/** A path of a {@link SimulatedDisk}; the system's own paths know how names are put together. */
final class SimulatedPath implements Path {
    private final FileSystem system;
    private final SimulatedDisk disk;
    private final Path names;
    private String absolute;

    SimulatedPath(FileSystem system, SimulatedDisk disk, Path names) {
        this.system = system;
        this.disk = disk;
        this.names = names;
    }

    SimulatedDisk disk() {
        return disk;
    }

    /** As the disk names it. */
    String absolute() {
        if (absolute == null) {
            absolute = (isAbsolute() ? names : Path.of("/").resolve(names)).normalize().toString();
        }
        return absolute;
    }

    private Path of(Path other) {
        return other == null ? null : new SimulatedPath(system, disk, other);
    }

    private static Path names(Path path) {
        if (path instanceof SimulatedPath simulated) {
            return simulated.names;
        }
        throw new ProviderMismatchException(path + " is not of a simulated disk");
    }

    @Override
    public FileSystem getFileSystem() {
        return system;
    }

    @Override
    public boolean isAbsolute() {
        return names.isAbsolute();
    }

    @Override
    public Path getRoot() {
        return of(names.getRoot());
    }

    @Override
    public Path getFileName() {
        return of(names.getFileName());
    }

    @Override
    public Path getParent() {
        return of(names.getParent());
    }

    @Override
    public int getNameCount() {
        return names.getNameCount();
    }

    @Override
    public Path getName(int index) {
        return of(names.getName(index));
    }

    @Override
    public Path subpath(int from, int to) {
        return of(names.subpath(from, to));
    }

    @Override
    public boolean startsWith(Path other) {
        return other instanceof SimulatedPath && names.startsWith(names(other));
    }

    @Override
    public boolean endsWith(Path other) {
        return other instanceof SimulatedPath && names.endsWith(names(other));
    }

    @Override
    public Path normalize() {
        return of(names.normalize());
    }

    @Override
    public Path resolve(Path other) {
        return of(names.resolve(names(other)));
    }

    @Override
    public Path relativize(Path other) {
        return of(names.relativize(names(other)));
    }

    @Override
    public URI toUri() {
        return URI.create(SimulatedDisks.SCHEME + "://" + disk.name() + absolute());
    }

    @Override
    public Path toAbsolutePath() {
        return isAbsolute() ? this : of(Path.of("/").resolve(names));
    }

    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
        disk.node(absolute());
        return toAbsolutePath().normalize();
    }

    @Override
    public File toFile() {
        throw new UnsupportedOperationException(this + " is of a simulated disk");
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int compareTo(Path other) {
        return names.compareTo(names(other));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SimulatedPath path && path.disk == disk && path.names.equals(names);
    }

    @Override
    public int hashCode() {
        return names.hashCode();
    }

    @Override
    public String toString() {
        return names.toString();
    }
}
