package io.despina.delta;

import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.engine.ExpressionHandler;
import io.delta.kernel.engine.FileSystemClient;
import io.delta.kernel.engine.JsonHandler;
import io.delta.kernel.engine.ParquetHandler;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** What Delta's kernel does of itself, but for the versions of tables of this machine, see {@link LocalJson}. */
final class LocalEngine implements Engine {
    private final Engine others = DefaultEngine.create(settings());
    private final JsonHandler json = new LocalJson(others.getJsonHandler());

    /** Where {@code HADOOP_CONF_DIR} is set, paths without a scheme would be those of a cluster. */
    private static Configuration settings() {
        Configuration settings = new Configuration();
        settings.set(FileSystem.FS_DEFAULT_NAME_KEY, FileSystem.DEFAULT_FS);
        return settings;
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
