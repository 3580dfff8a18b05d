package io.despina.control.staging;

import io.despina.spool.FileSpool;
import io.despina.spool.Spool;
import io.despina.spool.SpoolRecord;
import io.despina.spool.SpoolRecords;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The rows of one task of a program, in their order: in memory as long as its instance has some left, from then on in a file
 * without a name, each record with a checksum. One thread adds; after that, one takes. Any may release.
 */
final class TaskRows {
    private final String name;
    private final Limits limits;

    // all below: guarded by this
    private final Deque<byte[]> first = new ArrayDeque<>();
    /** What did not fit into memory, after those; null while all did. */
    private FileSpool disk;
    private SpoolRecords reading;
    private long rows;
    private long bytes;
    private boolean released;

    /**
     * What all tasks' rows of one instance share.
     *
     * @param folder    for rows beyond memory
     * @param mostBytes in memory
     * @param used      of them
     */
    record Limits(Path folder, long mostBytes, AtomicLong used) {
    }

    /** @param name for messages */
    TaskRows(String name, Limits limits) {
        this.name = name;
        this.limits = limits;
    }

    /** Adds whole packets; they are dropped once it is released. */
    synchronized void add(byte[] packets, int count) throws IOException, InterruptedException {
        if (released) {
            return;
        }
        if (disk == null && fits(packets.length)) {
            first.add(packets);
        } else {
            if (disk == null) {
                disk = new FileSpool(name, new Spool.Options(limits.folder(), Long.MAX_VALUE, false, false));
            }
            byte[] record = new byte[SpoolRecord.HEADER_BYTES + packets.length];
            System.arraycopy(packets, 0, record, SpoolRecord.HEADER_BYTES, packets.length);
            disk.append(record, record.length, count);
        }
        rows += count;
        bytes += packets.length;
    }

    private boolean fits(int bytes) {
        if (limits.used().addAndGet(bytes) <= limits.mostBytes()) {
            return true;
        }
        limits.used().addAndGet(-bytes);
        return false;
    }

    synchronized long rows() {
        return rows;
    }

    /** Of all packets that were added. */
    synchronized long bytes() {
        return bytes;
    }

    /** Takes whole packets; null after the last. */
    synchronized byte[] next() throws IOException {
        byte[] packets = first.poll();
        if (packets != null) {
            limits.used().addAndGet(-packets.length);
            return packets;
        }
        if (disk == null || released) {
            return null;
        }
        if (reading == null) {
            reading = new SpoolRecords(disk.access(), name, 0);
        }
        if (!reading.next(0)) {
            return null;
        }
        disk.cut(reading.first());
        return Arrays.copyOfRange(reading.bytes(), reading.from(), reading.to());
    }

    /** Gives back what it has. */
    synchronized void release() {
        released = true;
        first.forEach(packets -> limits.used().addAndGet(-packets.length));
        first.clear();
        if (disk != null) {
            try {
                disk.release();
            } catch (IOException e) {
                System.getLogger(TaskRows.class.getName()).log(System.Logger.Level.WARNING, "a file of rows did not close", e);
            }
        }
    }
}
