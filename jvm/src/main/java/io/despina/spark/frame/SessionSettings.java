package io.despina.spark.frame;

import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.SparkSession;

/** The settings of a session in one text: to ask for them one by one takes Python longer than many a query. */
public final class SessionSettings {

    private SessionSettings() {
    }

    /** Of each setting its name, its value, and {@code true} or {@code false}: whether it can be set, each ended by NUL. */
    public static String of(SparkSession session) {
        RuntimeConfig conf = session.conf();
        StringBuilder text = new StringBuilder();
        scala.jdk.javaapi.CollectionConverters.asJava(conf.getAll()).forEach((name, value) ->
                text.append(name).append('\0').append(value).append('\0').append(conf.isModifiable(name)).append('\0'));
        return text.toString();
    }
}
