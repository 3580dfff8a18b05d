package io.despina.delta;

import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.engine.ExpressionHandler;
import io.delta.kernel.engine.FileSystemClient;
import io.delta.kernel.engine.JsonHandler;
import io.delta.kernel.engine.ParquetHandler;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** What Delta's kernel does of itself, but for the versions of a table: see {@link LocalJson} and {@link StoreJson}. */
final class LogEngine implements Engine {
    private final Engine others;
    private final JsonHandler json;

    private LogEngine(Engine others, JsonHandler json) {
        this.others = others;
        this.json = json;
    }

    /** For tables of this machine. Where {@code HADOOP_CONF_DIR} is set, paths without a scheme would be those of a cluster. */
    static LogEngine local() {
        Configuration settings = new Configuration();
        settings.set(FileSystem.FS_DEFAULT_NAME_KEY, FileSystem.DEFAULT_FS);
        Engine others = DefaultEngine.create(settings);
        return new LogEngine(others, new LocalJson(others.getJsonHandler()));
    }

    /** For tables of one of Hadoop's file systems. */
    static LogEngine ofStore() {
        Configuration settings = new Configuration();
        Engine others = DefaultEngine.create(settings);
        return new LogEngine(others, new StoreJson(others.getJsonHandler(), settings));
    }

    @Override
    public ExpressionHandler getExpressionHandler() {
        return others.getExpressionHandler();
    }

    @Override
    public JsonHandler getJsonHandler() {
        return json;
    }

    @Override
    public FileSystemClient getFileSystemClient() {
        return others.getFileSystemClient();
    }

    @Override
    public ParquetHandler getParquetHandler() {
        return others.getParquetHandler();
    }
}
