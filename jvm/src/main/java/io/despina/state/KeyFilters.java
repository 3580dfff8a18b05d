package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * Which keys have come, as a {@link KeyFilter} has it, with a filter for each owner of keys, whose times are its own. A bucket of
 * a {@code KeyFilter} goes by one time, and would forget the keys of an owner that is behind the others. Its memory is taken when
 * the owner's first key comes.
 */
public final class KeyFilters implements State {
    /** The most bytes of a filter: a snapshot has each in one piece. */
    public static final long MAX_BYTES = 1 << 26;
    private static final int OBJECT_BYTES = 48;

    private final FilterShape shape;
    private final KeyedTable<Filter> filters;

    /** Of one owner. */
    private static final class Filter {
        private final byte[] bits;
        private long newest;

        Filter(byte[] bits, long newest) {
            this.bits = bits;
            this.newest = newest;
        }
    }

    /**
     * @param owners  schema of an owner
     * @param dealing buckets of owners
     * @param options for the keys of one owner; they take no more than {@link #MAX_BYTES}
     */
    public KeyFilters(String name, Schema owners, KeyBuckets dealing, KeyFilter.Options options) {
        shape = new FilterShape(options, 1);
        filters = new KeyedTable<>(name, owners, dealing, new Format());
    }

    /**
     * Adds a key of an owner, unless it is found.
     *
     * @param time of the key in microseconds, not before that of another of its owner; without meaning if none is forgotten
     * @return false if it was found: it was added within the time, or by chance
     */
    public boolean add(Packet owner, Packet key, long time) {
        long generation = shape.generation(time);
        long hash = FilterShape.hash(key);
        int entry = filters.find(owner);
        if (entry == KeyedTable.NONE) {
            Filter begun = new Filter(new byte[shape.bytes], generation);
            shape.add(begun.bits, hash, generation);
            filters.add(owner, begun);
            return true;
        }
        Filter filter = filters.get(entry);
        if (generation > filter.newest) {
            filters.edit(entry);
            shape.advance(filter.bits, filter.newest, generation);
            filter.newest = generation;
        }
        if (shape.contains(filter.bits, hash)) {
            return false;
        }
        filters.edit(entry);
        shape.add(filter.bits, hash, generation);
        return true;
    }

    @Override
    public String name() {
        return filters.name();
    }

    @Override
    public long bytes() {
        return filters.bytes();
    }

    @Override
    public RestoreRule rule() {
        return filters.rule();
    }

    @Override
    public String schema() {
        return filters.schema();
    }

    @Override
    public Frozen freeze() {
        return filters.freeze();
    }

    @Override
    public void clear() {
        filters.clear();
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        filters.restore(entry);
    }

    @Override
    public void restoredAll() throws SnapshotException {
        filters.restoredAll();
    }

    private final class Format implements ValueFormat<Filter> {
        @Override
        public String schema() {
            return shape.text();
        }

        @Override
        public void write(Filter value, DataOutput out) throws IOException {
            out.writeLong(value.newest);
            out.write(value.bits);
        }

        @Override
        public Filter read(DataInput in) throws IOException {
            Filter read = new Filter(new byte[shape.bytes], in.readLong());
            in.readFully(read.bits);
            return read;
        }

        @Override
        public long bytes(Filter value) {
            return OBJECT_BYTES + value.bits.length;
        }
    }
}
