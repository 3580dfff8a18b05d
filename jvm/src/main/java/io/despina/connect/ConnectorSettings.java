package io.despina.connect;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of an operator by their names in the graph, with defaults filled in and checked as far as the engine can. A field
 * that is not written and has no default is not among them.
 *
 * @param fields strings, numbers ({@link Long}), booleans, lists of strings, maps of strings, {@link HiddenText}s, {@link Tls}
 *               and {@link UserDatabase}s
 */
public record ConnectorSettings(Map<String, Object> fields) {

    /** A text that is not in the graph: it is read where the operator runs. */
    public interface HiddenText {
        /** @throws IOException if it is not there; the message says where it was looked for */
        String read() throws IOException;
    }

    /** A database of the user's driver. */
    public interface UserDatabase {
        /** A new connection, for the caller to close. One try. */
        Connection connect() throws SQLException;
    }

    /**
     * The files of TLS, all in PEM; each may be null.
     *
     * @param certificate its own, and those between it and the authority's
     * @param key         of the certificate: PKCS#8, without a password
     * @param trust       certificates of the authorities that are believed; null for those that Java knows
     */
    public record Tls(String certificate, String key, String trust) {
    }

    public ConnectorSettings {
        fields = Map.copyOf(fields);
    }

    /** The same with another value of one field. */
    public ConnectorSettings with(String field, Object value) {
        Map<String, Object> changed = new LinkedHashMap<>(fields);
        changed.put(field, value);
        return new ConnectorSettings(changed);
    }

    public boolean has(String field) {
        return fields.containsKey(field);
    }

    public String text(String field) {
        return (String) value(field);
    }

    public long whole(String field) {
        return (Long) value(field);
    }

    public boolean flag(String field) {
        return (Boolean) value(field);
    }

    public List<String> texts(String field) {
        return ((List<?>) value(field)).stream().map(String.class::cast).toList();
    }

    /** Empty if the field is not written. */
    public Map<String, String> named(String field) {
        if (!has(field)) {
            return Map.of();
        }
        Map<String, String> named = new LinkedHashMap<>();
        ((Map<?, ?>) value(field)).forEach((name, text) -> named.put((String) name, (String) text));
        return named;
    }

    public HiddenText secret(String field) {
        return (HiddenText) value(field);
    }

    public Tls tls(String field) {
        return (Tls) value(field);
    }

    public UserDatabase database(String field) {
        return (UserDatabase) value(field);
    }

    private Object value(String field) {
        Object value = fields.get(field);
        if (value == null) {
            throw new IllegalStateException("field " + field + " is not written");
        }
        return value;
    }

    /** Without values, some of which may be secrets. */
    @Override
    public String toString() {
        return "fields " + fields.keySet();
    }
}
