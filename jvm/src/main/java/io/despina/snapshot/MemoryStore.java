package io.despina.snapshot;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

/** A store that ends with its process: that of a job which keeps no state. */
public final class MemoryStore implements SnapshotStore {
    private final ConcurrentSkipListMap<String, byte[]> files = new ConcurrentSkipListMap<>();

    @Override
    public NewFile create(String path) throws IOException {
        if (!createIfAbsent(path, new byte[0])) {
            throw new IOException(path + " is there already");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        return new NewFile(bytes) {
            @Override
            void keep() {
                files.put(path, bytes.toByteArray());
            }

            @Override
            void drop() {
                files.remove(path);
            }
        };
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) {
        return files.putIfAbsent(path, content.clone()) == null;
    }

    @Override
    public void replace(String path, byte[] content) {
        files.put(path, content.clone());
    }

    /** Nobody else sees it. */
    @Override
    public Closeable lock(String path, byte[] content) {
        return () -> { };
    }

    @Override
    public List<Stored> files(String folder) {
        return files.keySet().stream().filter(path -> path.startsWith(folder)).map(path -> new Stored(path, 0)).toList();
    }

    /** What is in memory ends with the process, whatever is done. */
    @Override
    public void force(String path) throws IOException {
        bytes(path);
    }

    private byte[] bytes(String path) throws FileNotFoundException {
        byte[] bytes = files.get(path);
        if (bytes == null) {
            throw new FileNotFoundException(path + " is not there");
        }
        return bytes;
    }

    @Override
    public InputStream open(String path, long offset) throws IOException {
        byte[] bytes = bytes(path);
        int from = (int) Math.min(offset, bytes.length);
        return new ByteArrayInputStream(bytes, from, bytes.length - from);
    }

    @Override
    public long length(String path) throws IOException {
        return bytes(path).length;
    }

    /** As old as can be. */
    @Override
    public long modifiedMillis(String path) throws IOException {
        bytes(path);
        return 0;
    }

    @Override
    public boolean exists(String path) {
        return files.containsKey(path);
    }

    @Override
    public List<String> list(String folder) {
        String in = folder.isEmpty() || folder.endsWith("/") ? folder : folder + "/";
        return files.tailMap(in).keySet().stream().takeWhile(path -> path.startsWith(in))
                .map(path -> path.substring(in.length()).split("/", 2)[0]).distinct().toList();
    }

    @Override
    public void delete(String path) {
        files.keySet().removeIf(each -> each.equals(path) || each.startsWith(path + "/"));
    }

    @Override
    public String toString() {
        return "memory";
    }
}
