package io.despina.operator.lookup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.json.Json;
import io.despina.json.JsonItems;
import io.despina.operator.HintedException;
import io.despina.operator.OperatorContext;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.source.file.WholeFiles;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The areas of GeoJSON files, read into memory when the operator opens. A key is a latitude and a longitude, both DOUBLE; its
 * rows are the properties of the areas that hold this point, in the order of the files.
 */
public final class AreaTable implements Table {
    private static final String COLLECTION = "FeatureCollection";
    private static final String HINT = "an area is a `Feature` with a Polygon or a MultiPolygon; the features are in a "
            + "`FeatureCollection` (RFC 7946)";

    /**
     * What is read.
     *
     * @param path       a file, a folder or a glob, or its URI
     * @param properties how the properties of a feature become a row: as a record of JSON
     * @param parsers    gives Spark's parser for them
     */
    public record Options(String path, TextOptions properties, Function<TextOptions, RecordParser> parsers) {
        Schema schema() {
            return properties.schema();
        }
    }

    private final Options options;
    private final AreaIndex index = new AreaIndex();
    private final List<FoundRows> rows = new ArrayList<>();
    private final FoundRows several = new FoundRows();
    private OperatorContext context;
    private RecordParser parser;
    private ScratchPackets row;
    private long rowBytes;
    /** In the file that is read. */
    private int features;

    public AreaTable(Options options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws IOException {
        context = opened;
        parser = options.parsers().apply(options.properties());
        row = new ScratchPackets(options.schema());
        WholeFiles.each(options.path(), this::read);
        context.stateBytes(bytes());
    }

    private void read(String file, InputStream text) throws IOException {
        features = 0;
        JsonNode root;
        try {
            root = JsonItems.read(text, "features", feature -> add(file, feature));
        } catch (JsonProcessingException broken) {
            String where = broken.getLocation() == null ? "" : ":" + broken.getLocation().getLineNr() + ":"
                    + broken.getLocation().getColumnNr();
            throw new HintedException(file + where + " is no JSON: " + broken.getOriginalMessage(), HINT, broken);
        }
        String type = root.path("type").asText("");
        if (type.equals("Feature")) {
            add(file, root);
        } else if (!type.equals(COLLECTION)) {
            throw new HintedException(file + " is no GeoJSON of areas: its `type` is `" + type + "`", HINT, null);
        } else if (features == 0) {
            throw new HintedException(file + " has no areas: its FeatureCollection is empty", "check `path`", null);
        }
    }

    private void add(String file, JsonNode feature) throws IOException {
        features++;
        try {
            index.add(rows.size(), AreaShape.of(feature.get("geometry")));
        } catch (IllegalArgumentException wrong) {
            throw new HintedException(file + ": feature " + features + ": " + wrong.getMessage(), HINT, wrong);
        }
        JsonNode properties = feature.path("properties");
        byte[] json = Json.bytes(properties.isObject() ? properties : Json.object());
        row.clear();
        RecordParser.Refusal refusal = parser.parse(json, 0, json.length, row.writer());
        if (refusal != null) {
            throw new HintedException(file + ": the properties of feature " + features + " are no row of the schema: "
                    + refusal.reason() + ": " + refusal.record(), "check `schema`", null);
        }
        FoundRows one = new FoundRows();
        one.add(row.next());
        rows.add(one);
        rowBytes += one.held();
        context.stateBytes(bytes());     // one area may be large: a table that is too large fails and does not fill the heap
    }

    @Override
    public void refresh() {
        // the files are read once
    }

    @Override
    public FoundRows find(Packet key) {
        int count = index.find(key.getDouble(0), key.getDouble(1));
        if (count <= 1) {
            return count == 0 ? FoundRows.NONE : rows.get(index.area(0));
        }
        several.clear();
        for (int k = 0; k < count; k++) {
            several.addAll(rows.get(index.area(k)));
        }
        return several;
    }

    @Override
    public long bytes() {
        return index.bytes() + rowBytes + several.held();
    }

    @Override
    public void close() {
        // the files are closed when they are read
    }
}
