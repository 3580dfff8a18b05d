package io.despina.iceberg;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeReader;
import io.despina.connect.LakeTable;
import io.despina.connect.Leftovers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads and writes Iceberg tables. */
public final class IcebergConnector implements Connector {

    @Override
    public LakeTable table(ConnectorSettings settings, Consumer<String> warn) {
        return new IcebergTable(settings);
    }

    @Override
    public LakeReader lake(ConnectorSettings settings) {
        return new IcebergReader(settings);
    }

    @Override
    public String columns(ConnectorSettings settings) throws IOException {
        try (IcebergReader reader = new IcebergReader(settings)) {
            return reader.columns();
        }
    }

    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws Exception {
        if (use == Use.READ) {
            try (IcebergReader reader = new IcebergReader(settings)) {
                return reader.words();
            }
        }
        try (IcebergTable table = new IcebergTable(settings)) {
            table.open();
            return table.words();
        }
    }

    @Override
    public String leftovers(ConnectorSettings settings, Leftovers of) throws Exception {
        try (IcebergTable table = new IcebergTable(settings)) {
            List<String> found = new ArrayList<>();
            for (String each : of.names()) {
                table.epoch(each).ifPresent(epoch -> found.add(each));
            }
            if (found.isEmpty()) {
                return "no marker in " + table.plainTitle();
            }
            if (of.removes()) {
                table.forget(found);
            }
            return (of.removes() ? "removed from " : "among ") + "the properties of " + table.plainTitle() + ": the marker"
                    + (found.size() == 1 ? " of " : "s of ") + String.join(", ", found);
        }
    }
}
