package io.despina.operator.user;

import io.despina.operator.OpeningException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.sql.SQLException;
import java.util.concurrent.TimeoutException;

/**
 * A user's class, by its name.
 *
 * @param loader of the resource's user jars; null without any
 */
public record UserClass(String name, ClassLoader loader) {

    /**
     * Creates an object of the class.
     *
     * @throws OpeningException if it cannot be created, with the reason
     */
    public <T> T create(Class<T> needed) {
        try {
            Class<?> found = Class.forName(name, true, loader);
            if (!needed.isAssignableFrom(found)) {
                throw new OpeningException("class " + name + " does not implement " + needed.getName(), null);
            }
            return needed.cast(found.getConstructor().newInstance());
        } catch (ClassNotFoundException missing) {
            throw new OpeningException("there is no class " + name + " in the jars of this resource", missing);
        } catch (NoSuchMethodException | IllegalAccessException | InstantiationException hidden) {
            throw new OpeningException("class " + name + " cannot be made: it must be public, not abstract, and have a"
                    + " public constructor without parameters", hidden);
        } catch (InvocationTargetException thrown) {
            throw notOpened(thrown.getCause());
        } catch (LinkageError unfit) {
            throw notOpened(unfit);
        }
    }

    /**
     * Whether the class of an object has a method of its own in place of the default one.
     *
     * @param api        an interface that has the method
     * @param parameters of the method
     */
    static boolean overrides(Object made, Class<?> api, String method, Class<?>... parameters) {
        try {
            return made.getClass().getMethod(method, parameters).getDeclaringClass() != api;
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(api.getName() + " has no method " + method, e);
        }
    }

    /** Closes an object of the class; null if none was created. */
    void close(AutoCloseable made) throws IOException {
        if (made == null) {
            return;
        }
        try {
            made.close();
        } catch (Exception thrown) {
            throw new IOException(failed(thrown).getMessage(), thrown);
        }
    }

    /**
     * As {@link #failed}, of a class that is made or opened. Where it could not reach something outside, such as a database that
     * starts as well, it may open the next time.
     */
    IllegalArgumentException notOpened(Throwable thrown) {
        IllegalArgumentException failed = failed(thrown);
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof IOException || each instanceof SQLException || each instanceof TimeoutException) {
                return failed;
            }
        }
        return new OpeningException(failed.getMessage(), thrown);
    }

    /** Wraps an exception of the class in a message that leads to its line. */
    IllegalArgumentException failed(Throwable thrown) {
        StackTraceElement at = null;
        for (StackTraceElement each : thrown.getStackTrace()) {
            if (each.getClassName().equals(name) || each.getClassName().startsWith(name + "$")) {
                at = each;
                break;
            }
        }
        String why = thrown.getMessage() == null ? thrown.getClass().getSimpleName()
                : thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
        String where = at == null ? "" : " (" + at.getFileName() + ":" + at.getLineNumber() + ")";
        return new IllegalArgumentException(name + ": " + why + where, thrown);
    }
}
