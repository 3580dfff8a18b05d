package io.despina.control.assembly;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Loads the classes of one job's jars. They see only Java's own classes and {@code io.despina.api}, not those of the engine or of
 * Spark, so a jar may bring other versions of libraries.
 */
public final class UserJars extends URLClassLoader {
    private static final String API = "io.despina.api.";

    private UserJars(URL[] jars) {
        super("user", jars, ClassLoader.getPlatformClassLoader());
    }

    /**
     * Opens them.
     *
     * @param directory for relative paths
     * @param resource  for messages
     * @return null if there are none
     * @throws IllegalArgumentException if a jar does not exist
     */
    public static UserJars open(List<String> jars, Path directory, String resource) {
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
            // the job is over, and nothing depends on the file any more
        }
    }
}
