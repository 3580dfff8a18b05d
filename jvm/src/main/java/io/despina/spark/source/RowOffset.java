package io.despina.spark.source;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.spark.job.GivenOptions;
import java.util.Arrays;
import org.apache.spark.sql.connector.read.streaming.Offset;

/** {@code {"generation": id, "rows": [number per instance of the output]}}: rows before these have been read. */
final class RowOffset extends Offset {
    private final String generation;
    private final long[] rows;

    RowOffset(String generation, long[] rows) {
        this.generation = generation;
        this.rows = rows;
    }

    /** @throws IllegalArgumentException if it is none */
    static RowOffset of(String json) {
        try {
            ObjectNode object = GivenJson.parseObject(json, "offset");
            long[] rows = new long[object.path("rows").size()];
            Arrays.setAll(rows, k -> object.path("rows").get(k).asLong());
            return new RowOffset(object.path("generation").asText(), rows);
        } catch (Refusal e) {
            throw GivenOptions.refused(e);
        }
    }

    /** Spark gives one of a checkpoint as text before the first batch of a query that goes on. */
    static RowOffset of(Offset given) {
        return given instanceof RowOffset rows ? rows : of(given.json());
    }

    /** Of which job. */
    String generation() {
        return generation;
    }

    long[] rows() {
        return rows;
    }

    @Override
    public String json() {
        ObjectNode object = Json.object().put("generation", generation);
        ArrayNode array = object.putArray("rows");
        Arrays.stream(rows).forEach(array::add);
        return Json.text(object);
    }
}
