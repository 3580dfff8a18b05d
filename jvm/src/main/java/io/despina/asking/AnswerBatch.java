package io.despina.asking;

import io.despina.connect.Records;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Records of an answer or of a part of one, or of all pages of a poll. The source's thread reads it. */
final class AnswerBatch implements Records {
    static final String PARTITION = "answers";
    static final int URL = 0;
    static final int TIME = 1;
    static final int ID = 2;
    static final int EVENT = 3;
    /** Of the objects around a record. */
    private static final int OVERHEAD = 100;

    private final List<FoundRecord> records;
    private final AnswerPlaces places;
    private final boolean last;
    private final long bytes;
    private int at = -1;
    /** How many {@link #places} know to be given. */
    private int passed;

    /** Where records stand. Only the source's thread asks, in order. */
    interface AnswerPlaces {
        /** The place before a record, when all before it have been passed. @param index of the record in the batch */
        String before(FoundRecord record, int index);

        void passed(FoundRecord record);

        /** The place behind all of them, when they have been passed. It may be asked for again. */
        String after();
    }

    /** @param last whether nothing follows, in a source that ends */
    AnswerBatch(List<FoundRecord> records, AnswerPlaces places, boolean last) {
        this.records = records;
        this.places = places;
        this.last = last;
        bytes = bytes(records);
    }

    /** Records of several pages may be mixed, and many may have one id: each counts once. */
    private static long bytes(List<FoundRecord> records) {
        long all = OVERHEAD;
        Set<Object> counted = Collections.newSetFromMap(new IdentityHashMap<>());
        FoundRecord before = null;
        for (FoundRecord each : records) {
            all += OVERHEAD;
            if ((before == null || each.page() != before.page()) && counted.add(each.page())) {
                all += each.page().bytes().length;
            }
            for (String beside : new String[] {each.beside().id(), each.beside().event()}) {
                if (beside != null && beside.length() > OVERHEAD && counted.add(beside)) {
                    all += 2L * beside.length();
                }
            }
            before = each;
        }
        return all;
    }

    @Override
    public Passage passage() {
        return records.isEmpty() && !last ? Passage.MOVED : Passage.READ;
    }

    @Override
    public String partition() {
        return PARTITION;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public boolean next() {
        at = Math.min(at + 1, records.size());
        passTo(at);
        return at < records.size();
    }

    private void passTo(int record) {
        for (; passed < record; passed++) {
            places.passed(records.get(passed));
        }
    }

    @Override
    public String at() {
        return at < 0 ? behind() : places.before(records.get(at), at);
    }

    @Override
    public String behind() {
        int next = Math.min(at + 1, records.size());
        passTo(next);
        return next == records.size() ? places.after() : places.before(records.get(next), next);
    }

    @Override
    public boolean isLast() {
        return last;
    }

    @Override
    public byte[] value() {
        return records.get(at).page().bytes();
    }

    @Override
    public int from() {
        return records.get(at).from();
    }

    @Override
    public int to() {
        return records.get(at).to();
    }

    @Override
    public String where() {
        FoundRecord record = records.get(at);
        return record.page().shown() + (record.number() == 0 ? "" : ", record " + record.number());
    }

    @Override
    public String problem() {
        return records.get(at).problem();
    }

    @Override
    public long arrived() {
        return records.get(at).page().micros();
    }

    @Override
    public boolean isMissing(int index) {
        return index == ID && beside().id() == null || index == EVENT && beside().event() == null;
    }

    private FoundRecord.Beside beside() {
        return records.get(at).beside();
    }

    @Override
    public long number(int index) {
        return arrived();
    }

    @Override
    public byte[] binary(int index) {
        String text = index == URL ? records.get(at).page().shown() : index == ID ? beside().id() : beside().event();
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[][] pairs(int index) {
        throw new IllegalStateException("there is no such thing beside a record");
    }
}
