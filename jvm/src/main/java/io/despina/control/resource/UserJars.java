package io.despina.control.resource;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The classes of one job's jars. Beside them they see Java's own and {@code io.despina.api}, nothing of the engine or of Spark: a
 * jar may bring other versions of what those use.
 */
final class UserJars extends URLClassLoader {
    private static final String API = "io.despina.api.";

    private UserJars(URL[] jars) {
        super("user", jars, ClassLoader.getPlatformClassLoader());
    }

    /**
     * Opens them.
     *
     * @param directory that relative paths are of
     * @param resource  for messages
     * @return null if there are none
     * @throws IllegalArgumentException if one is not there
     */
    static UserJars open(List<String> jars, Path directory, String resource) {
        return jars.isEmpty() ? null
                : new UserJars(jars.stream().map(jar -> url(directory.resolve(jar), resource)).toArray(URL[]::new));
    }

    private static URL url(Path jar, String resource) {
        if (!Files.isReadable(jar)) {
            throw new IllegalArgumentException("resource `" + resource + "` cannot read " + jar + ", which is among its jars");
        }
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        return name.startsWith(API) ? UserJars.class.getClassLoader().loadClass(name) : super.loadClass(name, resolve);
    }

    @Override
    public void close() {
        try {
            super.close();
        } catch (IOException leftOpen) {
            // the job is over, and nothing of it depends on the file
        }
    }
}
