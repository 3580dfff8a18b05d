package io.despina.compare.flink.nexmark;

import io.despina.compare.nexmark.SparkHash;
import java.time.Instant;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;

/**
 * Events as {@code nexmark_events.graph.json} makes them, by the same formulas: {@code (kind, number, ts, person, auction, bid)},
 * of the last three all but one NULL. Rows are used again.
 */
final class EventMaker implements MapFunction<Long, RowData> {
    private static final long serialVersionUID = 1;
    private static final String[] FIRST = {"Ada", "Bo", "Carl", "Dora", "Emil", "Fay", "Gil", "Hana", "Ines"};
    private static final String[] LAST = {"Ames", "Beck", "Cole", "Dunn", "Eads", "Fox", "Gray"};
    private static final StringData[] CITIES = strings("Portland", "Boise", "Reno", "Fresno", "Tucson");
    private static final StringData[] STATES = strings("OR", "ID", "CA", "NV", "AZ", "WA");
    private static final StringData[] CHANNELS = strings("web", "app", "phone", "partner");
    private static final long BEGIN_MS = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
    private static final int EVENTS_OF_AN_EPOCH = 50;
    private static final long MICROS = 1000;

    private final long seed;
    private final long gapMicros;
    private transient GenericRowData event;
    private transient GenericRowData person;
    private transient GenericRowData auction;
    private transient GenericRowData bid;

    EventMaker(long seed, long gapMicros) {
        this.seed = seed;
        this.gapMicros = gapMicros;
    }

    private static StringData[] strings(String... values) {
        StringData[] found = new StringData[values.length];
        for (int k = 0; k < values.length; k++) {
            found[k] = StringData.fromString(values[k]);
        }
        return found;
    }

    @Override
    public RowData map(Long counted) {
        if (event == null) {
            event = new GenericRowData(6);
            person = new GenericRowData(4);
            auction = new GenericRowData(6);
            bid = new GenericRowData(4);
        }
        long number = counted;
        long epoch = number / EVENTS_OF_AN_EPOCH;
        int place = (int) (number % EVENTS_OF_AN_EPOCH);
        long hash = SparkHash.begun(seed, number);
        long ts = BEGIN_MS + number * gapMicros / MICROS;
        int kind = place == 0 ? 0 : place < 4 ? 1 : 2;
        event.setField(0, kind);
        event.setField(1, number);
        event.setField(2, TimestampData.fromEpochMillis(ts));
        event.setField(3, kind == 0 ? person(epoch, hash) : null);
        event.setField(4, kind == 1 ? auction(number, epoch, place, ts, hash) : null);
        event.setField(5, kind == 2 ? bid(epoch, hash) : null);
        return event;
    }

    private RowData person(long epoch, long hash) {
        person.setField(0, 1000 + epoch);
        person.setField(1, StringData.fromString(FIRST[(int) SparkHash.below(FIRST.length, hash, 1)] + " "
                + LAST[(int) SparkHash.below(LAST.length, hash, 2)]));
        person.setField(2, CITIES[(int) SparkHash.below(CITIES.length, hash, 3)]);
        person.setField(3, STATES[(int) SparkHash.below(STATES.length, hash, 4)]);
        return person;
    }

    private RowData auction(long number, long epoch, int place, long ts, long hash) {
        auction.setField(0, 1000 + epoch * 3 + place - 1);
        auction.setField(1, StringData.fromString("item " + number));
        auction.setField(2, 100 + SparkHash.below(10_000, hash, 1));
        auction.setField(3, TimestampData.fromEpochMillis(ts + (200 + SparkHash.below(801, hash, 2)) * gapMicros / MICROS));
        auction.setField(4, 1000 + Math.max(0, epoch - SparkHash.below(50, hash, 3)));
        auction.setField(5, 10 + SparkHash.below(5, hash, 4));
        return auction;
    }

    private RowData bid(long epoch, long hash) {
        long last = epoch * 3 + 2;
        bid.setField(0, 1000 + (SparkHash.below(2, hash, 1) == 0 ? last / 10 * 10
                : Math.max(0, last - SparkHash.below(60, hash, 2))));
        bid.setField(1, 1000 + (SparkHash.below(4, hash, 3) > 0 ? epoch / 10 * 10
                : Math.max(0, epoch - SparkHash.below(50, hash, 4))));
        bid.setField(2, rounded(100 * StrictMath.pow(10, SparkHash.below(6_000_000, hash, 5) / 1_000_000d)));
        bid.setField(3, CHANNELS[(int) SparkHash.below(CHANNELS.length, hash, 6)]);
        return bid;
    }

    /** As SQL rounds what is not negative: half up. */
    private static long rounded(double value) {
        long whole = (long) value;
        return value - whole >= 0.5 ? whole + 1 : whole;
    }
}
