/**
 * Operators for experiments: packets whose every byte can be checked, a sink that checks them, and a slow relay. Graphs with real
 * work do not need them.
 */
package io.despina.operator.experiment;
