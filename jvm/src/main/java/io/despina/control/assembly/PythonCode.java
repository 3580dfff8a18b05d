package io.despina.control.assembly;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.plan.FunctionFacts;
import io.despina.python.Interpreter;
import io.despina.python.SentModules;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The Python functions of a graph.
 *
 * @param interpreter that runs them; null if the program that submits the graph names none
 * @param functions   by {@code module:name}, what is known of them
 */
record PythonCode(Interpreter interpreter, Map<String, FunctionFacts> functions) {
    static final PythonCode NONE = new PythonCode(null, Map.of());

    PythonCode {
        functions = Map.copyOf(functions);
    }

    /**
     * @param python {@code {"command", "modules": [folders], "functions": {name: facts}, "cells": {name: code},
     *               "files": {place: base64}, "versions": {module: version}, "unsent": why}}, or missing
     */
    static PythonCode parse(JsonNode python) {
        if (!python.hasNonNull("command")) {
            return NONE;
        }
        Map<String, FunctionFacts> functions = new LinkedHashMap<>();
        JsonNode known = python.path("functions");
        known.fieldNames().forEachRemaining(name -> functions.put(name, facts(known.get(name))));
        return new PythonCode(new Interpreter(python.path("command").asText(), JobOptions.texts(python.path("modules")),
                texts(python.path("cells")), new SentModules(texts(python.path("files")), texts(python.path("versions")),
                python.path("unsent").textValue())), functions);
    }

    private static Map<String, String> texts(JsonNode said) {
        Map<String, String> texts = new LinkedHashMap<>();
        said.fieldNames().forEachRemaining(name -> texts.put(name, said.get(name).asText()));
        return texts;
    }

    private static FunctionFacts facts(JsonNode said) {
        return new FunctionFacts(said.path("problem").textValue(), said.path("hint").textValue(),
                JobOptions.texts(said.path("needed")), JobOptions.texts(said.path("optional")), said.path("open").asBoolean(),
                flag(said, "async"), JobOptions.texts(said.path("methods")), flag(said, "told"));
    }

    /** Null if that is not known. */
    private static Boolean flag(JsonNode said, String name) {
        return said.hasNonNull(name) ? said.get(name).asBoolean() : null;
    }
}
