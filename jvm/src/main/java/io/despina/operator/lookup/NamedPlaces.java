package io.despina.operator.lookup;

import io.despina.operator.OperatorContext;
import io.despina.operator.record.ScratchPackets;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * Places of a gazetteer, found by their name. A key is a name and a country, both STRING; the country is empty for any. Its row
 * is the place that is called so as it is written; else without case and accents; else within an edit distance. Of several it is
 * the one with most people, then the first of the file.
 */
public final class NamedPlaces implements Table {
    /** What is found. */
    public static final Schema PLACE = Schema.of(new Column("latitude", Simple.DOUBLE, false),
            new Column("longitude", Simple.DOUBLE, false), new Column("name", Simple.STRING, false),
            new Column("country", Simple.STRING, false), new Column("score", Simple.DOUBLE, false));
    private static final double EXACT = 1;
    private static final double FOLDED = 0.95;
    private static final int NONE = -1;
    /** GeoNames has Kosovo by this code, which ISO has not given away. */
    private static final String KOSOVO = "XK";

    /**
     * What is read.
     *
     * @param path         a file, a folder or a glob, or its URI
     * @param editDistance 0 if names are found only as they are
     */
    public record Options(String path, int editDistance) {
    }

    private final Options options;
    private final Gazetteer gazetteer = new Gazetteer(true);
    private final FoldedName folded = new FoldedName();
    private final FoundRows found = new FoundRows();
    private final ScratchPackets row = new ScratchPackets(PLACE);
    private final Set<String> countries = Locale.getISOCountries(Locale.IsoCountryCode.PART1_ALPHA2);
    private final IntConsumer near = this::look;
    private NearNames nearNames;
    /** What is asked for: a country or {@link Gazetteer#ANY}, and the best place so far. */
    private int country;
    private int best;

    public NamedPlaces(Options options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        gazetteer.read(options.path(), () -> context.stateBytes(bytes()));
        nearNames = options.editDistance() == 0 ? null : new NearNames(gazetteer.names(), options.editDistance());
        context.stateBytes(bytes());
    }

    @Override
    public void refresh() {
        // the files are read once
    }

    @Override
    public FoundRows find(Packet key) {
        int from = key.valueStart(0);
        int length = key.valueEnd() - from;
        country = country(key);
        best = NONE;
        if (length > FoldedName.MOST_BYTES || country == Gazetteer.NO_PLACE) {
            return FoundRows.NONE;
        }
        folded.fold(key.bytes(), from, length);
        if (folded.length() == 0) {
            return FoundRows.NONE;
        }
        int called = gazetteer.names().find(folded);
        if (called >= 0) {
            look(called, key.bytes(), from, length);
            if (best != NONE) {
                return row(EXACT);
            }
            look(called);
            if (best != NONE) {
                return row(FOLDED);
            }
        }
        for (int distance = 1; distance <= options.editDistance() && distance < folded.length(); distance++) {
            nearNames.each(folded, distance, near);
            if (best != NONE) {
                return row(FOLDED * (1 - (double) distance / folded.length()));
            }
        }
        return FoundRows.NONE;
    }

    private int country(Packet key) {
        int from = key.valueStart(1);
        int length = key.valueEnd() - from;
        if (length == 0) {
            return Gazetteer.ANY;
        }
        String code = length > 2 ? "" : new String(key.bytes(), from, length, StandardCharsets.UTF_8).toUpperCase(Locale.ROOT);
        int known = gazetteer.country(code);
        if (known == Gazetteer.NO_PLACE && !countries.contains(code) && !code.equals(KOSOVO)) {
            String shown = new String(key.bytes(), from, Math.min(length, 40), StandardCharsets.UTF_8);
            throw new IllegalArgumentException("country=" + shown + ": no such country: write its two letters of ISO 3166, as "
                    + "DE; NULL for any");
        }
        return known;
    }

    /** Looks among all places of a folded name. */
    private void look(int key) {
        PlaceNames names = gazetteer.names();
        for (int entry = names.first(key); entry >= 0; entry = names.next(entry)) {
            compare(names.place(entry));
        }
    }

    /** Looks among those that are written so. */
    private void look(int key, byte[] bytes, int from, int length) {
        PlaceNames names = gazetteer.names();
        for (int entry = names.first(key); entry >= 0; entry = names.next(entry)) {
            if (names.isWritten(entry, bytes, from, length)) {
                compare(names.place(entry));
            }
        }
    }

    private void compare(int place) {
        if (country != Gazetteer.ANY && gazetteer.country(place) != country) {
            return;
        }
        if (best == NONE || gazetteer.isBefore(place, best)) {
            best = place;
        }
    }

    private FoundRows row(double score) {
        row.clear();
        PacketWriter out = row.writer().begin();
        gazetteer.write(best, out);
        out.setDouble(4, score);
        out.commit();
        found.clear();
        found.add(row.next());
        return found;
    }

    @Override
    public long bytes() {
        return gazetteer.bytes() + (nearNames == null ? 0 : nearNames.bytes());
    }

    @Override
    public void close() {
        // the files are closed when they are read
    }
}
