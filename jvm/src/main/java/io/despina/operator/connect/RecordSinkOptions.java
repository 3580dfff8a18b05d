package io.despina.operator.connect;

import io.despina.connect.ConnectorSettings;
import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.registry.Registration;
import io.despina.packet.Schema;
import java.util.List;
import java.util.function.Function;

/**
 * What a sink writes to a server.
 *
 * @param records    how a record's value is written
 * @param formatters gives Spark's formatter for what cannot be written byte by byte; called when first needed
 */
public record RecordSinkOptions(RecordFormat.Write records, Function<TextOptions, RecordFormatter> formatters, Parts parts,
        Value value, To to) {

    /**
     * What goes beside the value: expressions over a row, each STRING or BINARY. The first is the target, if there is one, then
     * the key, if there is one, then a value for each of the names.
     *
     * @param compiled  null without any
     * @param schema    of their results
     * @param hasTarget whether each row says where it is sent to
     */
    public record Parts(Compiled<Projection> compiled, Schema schema, boolean hasTarget, boolean hasKey, List<String> names) {
        public Parts {
            names = List.copyOf(names);
        }
    }

    /** Ordinals of the columns of the value, and their schema. */
    public record Value(List<Integer> columns, Schema schema) {
        public Value {
            columns = List.copyOf(columns);
        }
    }

    /**
     * Where the records go.
     *
     * @param bufferBytes  that the library keeps at most until the server has them
     * @param registration of the schema that all records have; null without a registry
     */
    public record To(PositionSourceOptions.Loading connector, ConnectorSettings settings, long bufferBytes,
            Registration registration) {
    }
}
