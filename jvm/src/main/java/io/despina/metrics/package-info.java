/** What is measured: counters with one writer each, latency histograms, and their snapshots. Imports no other package. */
package io.despina.metrics;
