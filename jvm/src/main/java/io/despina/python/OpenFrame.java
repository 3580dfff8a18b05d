package io.despina.python;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.arrow.ArrowSchema;
import io.despina.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The frame by which a process opens its functions: a text, the schemas of the input and of the answers, the same two of each
 * function behind it, and those of keys and state if it keeps one, each part after its length.
 */
final class OpenFrame {
    private OpenFrame() {
    }

    /** @param cells of functions that are of no module, by name: their code */
    static byte[] of(FunctionSpec function, Map<String, String> cells) throws IOException {
        ObjectNode said = said(Json.object().put("role", function.user().role().word()), function, cells);
        List<byte[]> parts = new ArrayList<>(List.of(ArrowSchema.ofWorker(function.input()),
                ArrowSchema.ofWorker(function.output())));
        var others = said.putArray("behind");
        for (FunctionSpec.Behind each : function.user().behind()) {
            others.add(said(Json.object().put("rows", each.rows()).put("bytes", each.bytes()), each.function(), cells));
            parts.add(ArrowSchema.ofWorker(each.function().input()));
            parts.add(ArrowSchema.ofWorker(each.function().output()));
        }
        if (function.kept() != null) {
            parts.add(ArrowSchema.ofWorker(function.kept().keys()));
            parts.add(ArrowSchema.ofWorker(function.kept().state()));
        }
        parts.add(0, Json.bytes(said));
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            payload.write(ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(part.length).array());
            payload.write(part);
        }
        return payload.toByteArray();
    }

    private static ObjectNode said(ObjectNode said, FunctionSpec function, Map<String, String> cells) {
        InstancePlace place = function.user().place();
        said.put("function", function.name()).put("takes", function.takes())
                .put("adds", function.calls().adds()).put("pure", function.calls().pure())
                .put("in_flight", function.calls().inFlight());
        String cell = cells.get(function.name());
        if (cell != null) {
            said.put("cell", cell);
        }
        if (function.kept() != null && function.kept().clock() != null) {
            said.put("clock", function.kept().clock().name().toLowerCase(Locale.ROOT));
        }
        var options = said.putObject("options");
        function.calls().options().forEach(options::put);
        said.putObject("place").put("operator", place.operator()).put("instance", place.instance())
                .put("instances", place.instances());
        var columns = said.putArray("columns");
        function.columns().forEach(columns::add);
        return said;
    }
}
