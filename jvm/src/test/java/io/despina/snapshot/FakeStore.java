package io.despina.snapshot;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** Files in memory, for tests of thousands of histories. */
public class FakeStore implements SnapshotStore {
    private record Content(byte[] bytes, long modifiedMillis) {
    }

    private final TreeMap<String, Content> files = new TreeMap<>();
    /** The time of the file system. */
    public long nowMillis;

    /** Called before a file changes; may throw. */
    protected void change(String path) throws IOException {
    }

    @Override
    public NewFile create(String path) throws IOException {
        change(path);
        if (files.containsKey(path)) {
            throw new IOException(path + " is there");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        files.put(path, new Content(new byte[0], nowMillis));
        return new NewFile(bytes) {
            @Override
            void keep() throws IOException {
                files.put(path, new Content(bytes.toByteArray(), nowMillis));
            }

            @Override
            void drop() {
                files.remove(path);
            }
        };
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        change(path);
        return files.putIfAbsent(path, new Content(content, nowMillis)) == null;
    }

    @Override
    public void force(String path) throws IOException {
        content(path);
    }

    @Override
    public void replace(String path, byte[] content) throws IOException {
        change(path);
        files.put(path, new Content(content, nowMillis));
    }

    @Override
    public Closeable lock(String path, byte[] content) {
        throw new UnsupportedOperationException();
    }

    private Content content(String path) throws FileNotFoundException {
        if (!files.containsKey(path)) {
            throw new FileNotFoundException(path + " is not there");
        }
        return files.get(path);
    }

    @Override
    public InputStream open(String path, long offset) throws IOException {
        byte[] bytes = content(path).bytes;
        return new ByteArrayInputStream(bytes, (int) offset, bytes.length - (int) offset);
    }

    @Override
    public long length(String path) throws IOException {
        return content(path).bytes.length;
    }

    @Override
    public long modifiedMillis(String path) throws IOException {
        return content(path).modifiedMillis;
    }

    @Override
    public boolean exists(String path) {
        return files.containsKey(path);
    }

    private static String folder(String name) {
        return name.isEmpty() || name.endsWith("/") ? name : name + "/";
    }

    @Override
    public List<String> list(String in) {
        TreeSet<String> names = new TreeSet<>();
        files.keySet().stream().filter(each -> each.startsWith(folder(in)))
                .forEach(each -> names.add(each.substring(folder(in).length()).split("/")[0]));
        names.removeIf(each -> each.startsWith("."));
        return List.copyOf(names);
    }

    @Override
    public List<Stored> files(String in) {
        List<Stored> all = new ArrayList<>();
        files.forEach((path, content) -> {
            if (path.startsWith(folder(in))) {
                all.add(new Stored(path, content.modifiedMillis));
            }
        });
        return all;
    }

    @Override
    public void delete(String path) throws IOException {
        change(path);
        files.keySet().removeIf(each -> each.equals(path) || each.startsWith(folder(path)));
    }
}
