package io.despina.operator.lookup;

import io.despina.operator.OperatorContext;
import io.despina.operator.record.ScratchPackets;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;

/**
 * Places of a gazetteer, found by a point. A key is a latitude and a longitude, both DOUBLE, in degrees. Its row is the nearest
 * place that is near enough; of several the one with most people, then the first of the file.
 */
public final class NearestPlaces implements Table {
    /** What is found. */
    public static final Schema PLACE = Schema.of(new Column("latitude", Simple.DOUBLE, false),
            new Column("longitude", Simple.DOUBLE, false), new Column("name", Simple.STRING, false),
            new Column("country", Simple.STRING, false), new Column("distance_km", Simple.DOUBLE, false));

    /**
     * What is read.
     *
     * @param path     a file, a folder or a glob, or its URI
     * @param withinKm how far a place may be, in kilometres
     */
    public record Options(String path, double withinKm) {
    }

    private final Options options;
    private final Gazetteer gazetteer = new Gazetteer(false);
    private final FoundRows found = new FoundRows();
    private final ScratchPackets row = new ScratchPackets(PLACE);
    private SphereIndex index;

    public NearestPlaces(Options options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        gazetteer.read(options.path(), () -> context.stateBytes(bytes()));
        context.stateBytes(gazetteer.bytes() + SphereIndex.bytes(gazetteer.size()));
        index = new SphereIndex(gazetteer);
    }

    @Override
    public void refresh() {
        // the files are read once
    }

    @Override
    public FoundRows find(Packet key) {
        int place = index.nearest(key.getDouble(0), key.getDouble(1), options.withinKm());
        if (place < 0) {
            return FoundRows.NONE;
        }
        row.clear();
        PacketWriter out = row.writer().begin();
        gazetteer.write(place, out);
        out.setDouble(4, index.distanceKm());
        out.commit();
        found.clear();
        found.add(row.next());
        return found;
    }

    @Override
    public long bytes() {
        return gazetteer.bytes() + (index == null ? 0 : SphereIndex.bytes(gazetteer.size()));
    }

    @Override
    public void close() {
        // the files are closed when they are read
    }
}
