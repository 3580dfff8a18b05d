package io.despina.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A disk that knows what is written, what is forced and which names are durable. When the machine loses its power, any part of
 * the rest may be lost, in any order.
 */
final class TornDisk implements LogDisk {
    private static final int SECTOR = 32;

    private static final class Content {
        byte[] bytes = {};
        byte[] forced = {};
        /** Forcing it has failed: the system does not try again. */
        boolean poisoned;
    }

    private final Map<String, Content> names = new TreeMap<>();
    private final Map<String, Content> durable = new TreeMap<>();
    /** Bytes that may still be written. */
    long room = Long.MAX_VALUE;
    boolean failsToForce;
    boolean outOfMemory;
    int forces;

    @Override
    public List<String> names() {
        return List.copyOf(names.keySet());
    }

    @Override
    public LogFile create(String name) throws IOException {
        if (names.containsKey(name)) {
            throw new FileAlreadyExistsException(name);
        }
        names.put(name, new Content());
        return open(name);
    }

    @Override
    public LogFile open(String name) throws IOException {
        Content content = names.get(name);
        if (content == null) {
            throw new NoSuchFileException(name);
        }
        return new Opened(content);
    }

    @Override
    public void rename(String name, String to) {
        names.put(to, names.remove(name));
    }

    @Override
    public void delete(String name) {
        names.remove(name);
    }

    @Override
    public void force() {
        durable.clear();
        durable.putAll(names);
    }

    @Override
    public String place(String name) {
        return "disk/" + name;
    }

    byte[] content(String name) {
        return names.get(name).bytes;
    }

    /** The power goes: what was not forced is there, or is not, sector by sector. */
    void losePower(Random random) {
        Map<String, Content> left = new TreeMap<>();
        names.forEach((name, content) -> {
            if (durable.containsKey(name) || random.nextBoolean()) {
                left.put(name, content);
            }
        });
        durable.forEach((name, content) -> {
            if (!names.containsKey(name) && random.nextBoolean()) {
                left.put(name, content);
            }
        });
        left.values().forEach(content -> {
            byte[] kept = content.poisoned ? content.forced : Arrays.copyOf(content.forced, content.forced.length
                    + random.nextInt(Math.max(0, content.bytes.length - content.forced.length) + 1));
            for (int at = content.forced.length; at < kept.length; at += SECTOR) {
                if (random.nextInt(4) > 0) {
                    System.arraycopy(content.bytes, at, kept, at, Math.min(SECTOR, kept.length - at));
                }
            }
            content.bytes = kept;
            content.forced = kept.clone();
            content.poisoned = false;
        });
        names.clear();
        names.putAll(left);
        durable.clear();
        durable.putAll(left);
    }

    private final class Opened implements LogFile {
        private final Content content;

        Opened(Content content) {
            this.content = content;
        }

        @Override
        public long length() {
            return content.bytes.length;
        }

        @Override
        public void write(long at, ByteBuffer bytes) throws IOException {
            int wanted = bytes.remaining();
            int fits = (int) Math.min(wanted, room);
            room -= fits;
            if (content.bytes.length < at + fits) {
                content.bytes = Arrays.copyOf(content.bytes, (int) at + fits);
            }
            bytes.get(content.bytes, (int) at, fits);
            if (fits < wanted) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public int read(long at, ByteBuffer into) {
            int length = (int) Math.max(0, Math.min(into.remaining(), content.bytes.length - at));
            into.put(content.bytes, (int) at, length);
            return length;
        }

        @Override
        public void force() throws IOException {
            forces++;
            if (failsToForce) {
                content.poisoned = true;
                throw new IOException("Input/output error");
            }
            if (outOfMemory) {
                throw new OutOfMemoryError("Direct buffer memory");
            }
            content.forced = content.poisoned ? content.forced : content.bytes.clone();
        }

        @Override
        public void close() {
            // nothing is held
        }
    }
}
