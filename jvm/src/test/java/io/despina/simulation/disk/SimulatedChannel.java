package io.despina.simulation.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;

/** An open file or folder of a {@link SimulatedDisk}. */
final class SimulatedChannel extends FileChannel {
    private final SimulatedDisk disk;
    private final String path;
    private final SimulatedDisk.Inode node;
    private final Object process;
    private final boolean reads;
    private final boolean writes;
    private final boolean appends;
    private long position;
    private boolean dead;

    SimulatedChannel(SimulatedDisk disk, String path, SimulatedDisk.Inode node, Set<? extends OpenOption> options) {
        this.disk = disk;
        this.path = path;
        this.node = node;
        process = disk.process();
        appends = options.contains(StandardOpenOption.APPEND);
        writes = appends || options.contains(StandardOpenOption.WRITE);
        reads = !writes || options.contains(StandardOpenOption.READ);
        disk.opened(this);
    }

    Object process() {
        return process;
    }

    @Override
    public String toString() {
        return path;
    }

    /** Its process has ended. */
    void die() {
        dead = true;
        unlock();
        disk.closed(this);
    }

    private void unlock() {
        if (node instanceof SimulatedDisk.FileNode content && content.locker == this) {
            content.locker = null;
        }
    }

    private SimulatedDisk.FileNode content() throws IOException {
        if (dead || !isOpen()) {
            throw new ClosedChannelException();
        }
        if (node instanceof SimulatedDisk.FileNode content) {
            return content;
        }
        throw new FileSystemException(path, null, "Is a directory");
    }

    @Override
    public int read(ByteBuffer to, long at) throws IOException {
        SimulatedDisk.FileNode content = content();
        if (!reads) {
            throw new NonReadableChannelException();
        }
        if (at >= content.length) {
            return to.hasRemaining() ? -1 : 0;
        }
        int count = (int) Math.min(to.remaining(), content.length - at);
        to.put(content.bytes, (int) at, count);
        return count;
    }

    @Override
    public int write(ByteBuffer from, long at) throws IOException {
        SimulatedDisk.FileNode content = content();
        if (!writes) {
            throw new NonWritableChannelException();
        }
        try {
            disk.before(SimulatedDisk.Operation.WRITE, path);
        } catch (IOException failed) {
            put(content, from, at, from.remaining() / 2);
            throw failed;
        }
        int grows = (int) Math.max(at + from.remaining() - content.length, 0);
        return put(content, from, at, from.remaining() - (grows - disk.grow(grows)));
    }

    private int put(SimulatedDisk.FileNode content, ByteBuffer from, long at, int count) throws IOException {
        if (count <= 0 && from.hasRemaining()) {
            throw new FileSystemException(path, null, "No space left on device");
        }
        int end = (int) Math.max(at + count, content.length);
        if (end > content.bytes.length) {
            content.bytes = Arrays.copyOf(content.bytes, Math.max(end, 2 * content.bytes.length));
        }
        from.get(content.bytes, (int) at, count);
        content.length = end;
        content.modifiedMillis = disk.now();
        return count;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        int count = read(to, position);
        position += Math.max(count, 0);
        return count;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        if (appends) {
            position = content().length;
        }
        int count = write(from, position);
        position += count;
        return count;
    }

    @Override
    public long read(ByteBuffer[] to, int first, int length) throws IOException {
        long sum = 0;
        for (int k = first; k < first + length; k++) {
            int count = read(to[k]);
            if (count < 0) {
                return sum == 0 ? -1 : sum;
            }
            sum += count;
        }
        return sum;
    }

    @Override
    public long write(ByteBuffer[] from, int first, int length) throws IOException {
        long sum = 0;
        for (int k = first; k < first + length; k++) {
            sum += write(from[k]);
        }
        return sum;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public FileChannel position(long at) {
        position = at;
        return this;
    }

    @Override
    public long size() throws IOException {
        return content().length;
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        SimulatedDisk.FileNode content = content();
        if (!writes) {
            throw new NonWritableChannelException();
        }
        disk.before(SimulatedDisk.Operation.WRITE, path);
        if (size < content.length) {
            Arrays.fill(content.bytes, (int) size, content.length, (byte) 0);
            content.length = (int) size;
        }
        position = Math.min(position, size);
        return this;
    }

    @Override
    public void force(boolean metadata) throws IOException {
        if (dead || !isOpen()) {
            throw new ClosedChannelException();
        }
        disk.force(node, path);
    }

    @Override
    public long transferTo(long at, long count, WritableByteChannel target) throws IOException {
        SimulatedDisk.FileNode content = content();
        int length = (int) Math.max(0, Math.min(count, content.length - at));
        return length == 0 ? 0 : target.write(ByteBuffer.wrap(content.bytes, (int) at, length));
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long at, long count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(count, 1 << 16));
        source.read(bytes);
        return write(bytes.flip(), at);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long at, long size) {
        throw new UnsupportedOperationException("a simulated file cannot be mapped");
    }

    @Override
    public FileLock lock(long at, long size, boolean shared) throws IOException {
        FileLock lock = tryLock(at, size, shared);
        if (lock == null) {
            throw new IOException("it would wait for the lock of " + path);
        }
        return lock;
    }

    @Override
    public FileLock tryLock(long at, long size, boolean shared) throws IOException {
        SimulatedDisk.FileNode content = content();
        if (!disk.hasLocks()) {
            throw new IOException("No locks available");
        }
        if (content.locker instanceof SimulatedChannel other) {
            if (other.process.equals(process)) {
                throw new OverlappingFileLockException();
            }
            return null;
        }
        content.locker = this;
        return new FileLock(this, at, size, shared) {
            @Override
            public boolean isValid() {
                return content.locker == SimulatedChannel.this;
            }

            @Override
            public void release() {
                unlock();
            }
        };
    }

    @Override
    protected void implCloseChannel() {
        unlock();
        disk.closed(this);
    }
}
