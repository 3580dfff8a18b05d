package io.despina.state;

import io.despina.packet.Packet;
import java.io.DataOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/**
 * A keyed table at one instant. Its rows, and its values that are packets, are shared with the table until they change. Another
 * object value is serialized when it is about to change, and kept until its turn.
 */
final class FrozenTable<V> implements Frozen {

    private final KeyedTable<V> table;
    private final TablePart part;
    private final FrozenRows rows;
    private final Packet key;
    /** Null if values are objects. */
    private final ValueFormat.Flat<V> flat;
    private final V view;
    /** Null if values are no packets with memory of their own. */
    private final SharedPackets packets;
    /** Null if there are no other objects. */
    private final FrozenLists<V> lists;
    /** Values that were serialized before they changed, by entry. */
    private final Map<Integer, FrozenLists.ValueBytes> changed = new HashMap<>();
    private final Packet changing;
    /** The group that is written; -1 if it is another table's. */
    private int group;
    /** The values, if the table has been cleared; else null. */
    private Object[] kept;
    private long changedBytes;

    FrozenTable(KeyedTable<V> table, ValueFormat<V> format, TablePart part, FrozenRows rows) {
        this.table = table;
        this.part = part;
        this.rows = rows;
        key = table.newKey();
        changing = table.newKey();
        group = part.group() == 0 ? 0 : -1;
        flat = format instanceof ValueFormat.Flat<V> f ? f : null;
        view = flat == null ? null : flat.view();
        packets = format instanceof ValueFormat.Replaced ? new SharedPackets() : null;
        lists = flat != null || packets != null ? null
                : new FrozenLists<>(table.lists(), format, part.form() == SectionForm.CHANGES);
    }

    /** The table was cleared and hands over its values. */
    void keep(Object[] values) {
        kept = values;
    }

    @Override
    public SectionForm form() {
        return part.form();
    }

    /** Keeps the value of an entry that is about to change, for the first time. */
    void save(int entry) {
        if (!rows.has(entry)) {
            return;
        }
        if (packets != null) {
            packets.keep(entry, (Packet) value(entry));
            return;
        }
        table.key(entry, changing);
        try {
            FrozenLists.ValueBytes value = written(entry, changing).kept();
            changed.put(entry, value);
            changedBytes += value.size();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** Whether the memory of an entry's value is to be written, or is being written. */
    boolean shares(int entry) {
        return packets != null && (packets.isOpen(entry) || rows.has(entry));
    }

    /** Memory held beyond the table's own, in bytes. The rows count their own. */
    long bytes() {
        return changedBytes + (packets == null ? 0 : packets.bytes());
    }

    private Object value(int entry) {
        return (kept == null ? table.objects() : kept)[entry];
    }

    @SuppressWarnings("unchecked")
    private FrozenLists.ValueBytes written(int entry, Packet of) throws IOException {
        return lists.write(entry, of, (V) value(entry));
    }

    @Override
    public boolean write(SectionWriter to) throws IOException {
        while (to.hasRoom()) {
            if (packets != null && packets.isOpen()) {
                packets.writeMore(to);
            } else if (lists != null && !lists.isDone()) {
                enter(part.group() + 1, to);
                lists.writeNext(part, to);
            } else if (rows.advance()) {
                enter(part.group(), to);
                writeRow(to);
            } else {
                return true;
            }
        }
        return false;
    }

    private void enter(int of, SectionWriter to) {
        if (of != group) {
            group = of;
            to.group(of);
        }
    }

    private void writeRow(SectionWriter to) throws IOException {
        if (rows.isGone()) {
            if (lists != null) {
                lists.gone(rows.entry());
            }
            to.gone(rows.entry(), 1);
            return;
        }
        rows.key(key);
        if (lists != null) {
            writeObject(to);
            return;
        }
        DataOutput data = to.beginEntry(part.bucket(key), rows.entry());
        part.belongs().write(data);
        to.packet(key);
        if (flat != null) {
            flat.move(view, rows.row(), rows.valueAt());
            flat.write(view, data);
            to.endEntry();
        } else {
            packets.end(rows.entry(), (Packet) value(rows.entry()), to);
        }
    }

    private void writeObject(SectionWriter to) throws IOException {
        FrozenLists.ValueBytes value = changed.remove(rows.entry());
        if (value == null) {
            value = written(rows.entry(), key);
        } else {
            changedBytes -= value.size();
        }
        int bucket = part.bucket(key);
        part.belongs().write(to.beginEntry(value.isCut() ? StateFormat.flagged(bucket, StateFormat.CUT) : bucket, rows.entry()));
        to.packet(key);
        to.put(value.bytes(), 0, value.size());
        to.endEntry();
    }

    @Override
    public void close() {
        rows.close();
        table.thaw(this);
    }
}
