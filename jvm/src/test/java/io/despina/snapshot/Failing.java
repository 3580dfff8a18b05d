package io.despina.snapshot;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** A store whose calls a test overrides. */
public class Failing implements SnapshotStore {
    private final SnapshotStore real;

    protected Failing(SnapshotStore real) {
        this.real = real;
    }

    @Override
    public NewFile create(String path) throws IOException {
        return real.create(path);
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        return real.createIfAbsent(path, content);
    }

    @Override
    public void replace(String path, byte[] content) throws IOException {
        real.replace(path, content);
    }

    @Override
    public Closeable lock(String path, byte[] content) throws IOException {
        return real.lock(path, content);
    }

    @Override
    public InputStream open(String path, long offset) throws IOException {
        return real.open(path, offset);
    }

    @Override
    public long length(String path) throws IOException {
        return real.length(path);
    }

    @Override
    public long modifiedMillis(String path) throws IOException {
        return real.modifiedMillis(path);
    }

    @Override
    public void force(String path) throws IOException {
        real.force(path);
    }

    @Override
    public boolean exists(String path) throws IOException {
        return real.exists(path);
    }

    @Override
    public List<String> list(String folder) throws IOException {
        return real.list(folder);
    }

    @Override
    public List<Stored> files(String folder) throws IOException {
        return real.files(folder);
    }

    @Override
    public void delete(String path) throws IOException {
        real.delete(path);
    }
}
