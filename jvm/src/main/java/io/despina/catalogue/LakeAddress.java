package io.despina.catalogue;

import io.despina.catalogue.field.DatabaseFields;
import io.despina.connect.ConnectorSettings;
import io.despina.operator.database.DatabaseOptions;
import io.despina.operator.database.DatabaseTry;
import io.despina.operator.disk.FileAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where a table of files is.
 *
 * @param settings of the connector
 * @param database that is its catalog; null if none is
 */
public record LakeAddress(Map<String, Object> settings, DatabaseFields database) {
    private static final String DATABASE = "database";
    private static final long ANSWER_MILLIS = 60_000;

    public LakeAddress {
        settings = Map.copyOf(settings);
    }

    /** The same, and other settings. */
    LakeAddress with(Map<String, Object> others) {
        Map<String, Object> all = new LinkedHashMap<>(settings);
        all.putAll(others);
        return new LakeAddress(all, database);
    }

    /** A text that is another one for another table: its folder, or what its catalog calls it. */
    String text() {
        return settings.containsKey("catalog") ? settings.get("url") + " " + settings.getOrDefault("warehouse",
                settings.getOrDefault("name", "")) + " " + settings.get("table") : (String) settings.get("path");
    }

    /** Whether its files lie on the machine that reads or writes them. */
    boolean isHere() {
        return settings.get("path") instanceof String path && !FileAddress.isHadoops(path);
    }

    /** For people who look at a plan. */
    Map<String, Object> resolved() {
        return settings.containsKey("catalog") ? Map.of() : Map.of("path", settings.get("path"));
    }

    /** The user's class that it runs; null for none. */
    String userClass() {
        return database == null ? null : database.driver();
    }

    /** For an instance that is made. */
    ConnectorSettings of(InstanceContext making) {
        ConnectorSettings plain = new ConnectorSettings(settings);
        if (database == null) {
            return plain;
        }
        DatabaseOptions options = database.options(making.around().user().classes(), making.plan().settings().timeZone());
        return plain.with(DATABASE, (ConnectorSettings.UserDatabase) () -> DatabaseTry.connect(options, ANSWER_MILLIS));
    }
}
