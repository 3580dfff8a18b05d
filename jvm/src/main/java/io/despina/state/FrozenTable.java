package io.despina.state;

import io.despina.packet.Packet;
import java.io.DataOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A keyed table at one instant. Its rows are shared with the table until they change. An object value is serialized when it is
 * about to change, and kept until its turn.
 */
final class FrozenTable<V> implements Frozen {

    /** Writes what distinguishes one part of a state from the others. */
    @FunctionalInterface
    interface Prefix {
        void write(DataOutput out) throws IOException;
    }

    /**
     * What it is written as.
     *
     * @param owners  of the keys; null if the entries have no bucket
     * @param belongs writes the beginning of each entry's content
     */
    record Part(KeyBuckets owners, Prefix belongs, SectionForm form) {
    }

    private final KeyedTable<V> table;
    private final ValueFormat<V> format;
    private final Part part;
    private final FrozenRows rows;
    private final Packet key;
    /** Null if values are objects. */
    private final ValueFormat.Flat<V> flat;
    private final V view;
    /** Values that were serialized before they changed, by entry. */
    private final Map<Integer, byte[]> changed = new HashMap<>();
    private final SectionWriter one = new SectionWriter(Long.BYTES);
    /** The values, if the table has been cleared; else null. */
    private Object[] kept;
    private long changedBytes;

    FrozenTable(KeyedTable<V> table, ValueFormat<V> format, Part part, FrozenRows rows) {
        this.table = table;
        this.format = format;
        this.part = part;
        this.rows = rows;
        key = table.newKey();
        flat = format instanceof ValueFormat.Flat<V> f ? f : null;
        view = flat == null ? null : flat.view();
    }

    /** The table was cleared and hands over its values. */
    void keep(Object[] values) {
        kept = values;
    }

    @Override
    public SectionForm form() {
        return part.form;
    }

    /** Keeps the value of an entry that is about to change, for the first time. */
    void save(int entry) {
        if (!rows.has(entry)) {
            return;
        }
        one.replace(one.bytes());
        try {
            writeObject(entry, one.data());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        byte[] value = Arrays.copyOf(one.bytes(), one.size());
        changed.put(entry, value);
        changedBytes += value.length;
    }

    /** Memory held beyond the table's own, in bytes. The rows count their own. */
    long bytes() {
        return changedBytes;
    }

    @SuppressWarnings("unchecked")
    private void writeObject(int entry, DataOutput to) throws IOException {
        format.write((V) (kept == null ? table.objects() : kept)[entry], to);
    }

    @Override
    public boolean write(SectionWriter to) throws IOException {
        while (to.hasRoom()) {
            if (!rows.advance()) {
                return true;
            }
            writeRow(to);
        }
        return false;
    }

    private void writeRow(SectionWriter to) throws IOException {
        if (rows.isGone()) {
            to.gone(rows.entry(), 1);
            return;
        }
        rows.key(key);
        DataOutput data = to.beginEntry(part.owners == null ? SectionWriter.NO_BUCKET : part.owners.of(key), rows.entry());
        part.belongs.write(data);
        to.packet(key);
        if (flat != null) {
            flat.move(view, rows.row(), rows.valueAt());
            format.write(view, data);
        } else {
            byte[] before = changed.remove(rows.entry());
            if (before == null) {
                writeObject(rows.entry(), data);
            } else {
                changedBytes -= before.length;
                to.put(before, 0, before.length);
            }
        }
        to.endEntry();
    }

    @Override
    public void close() {
        rows.close();
        table.thaw(this);
    }
}
